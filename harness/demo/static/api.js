async function answerOf(response) {
  const answer = await response.json();
  if (!response.ok) {
    throw new Error(`${answer.error}; expected: ${answer.expected}`);
  }
  return answer;
}

/** Resolve to {root, files}: the workspace's name and its number of files. */
export async function readRoot() {
  return answerOf(await fetch("/api/root"));
}

/** Resolve to the workspace's files, [{name, size_bytes}], sorted by name. */
export async function readFiles() {
  const { files } = await answerOf(await fetch("/api/files"));
  return files;
}

/** Append a turn and resolve to {turn, echo}. */
export async function sendTurn(utterance) {
  return answerOf(
    await fetch("/api/turn", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ utterance }),
    }),
  );
}
