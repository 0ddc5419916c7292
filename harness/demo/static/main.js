import "./trusted.js";
import { readFiles, readRoot, sendTurn } from "./api.js";
import { showFiles } from "./files.js";
import { inBytes } from "./units.js";

const problem = document.getElementById("problem");
const fileList = document.getElementById("files");
const form = document.getElementById("turn");
const utterance = document.getElementById("utterance");

const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });

worker.addEventListener("message", ({ data }) => {
  document.getElementById("total").textContent = inBytes(data);
});
worker.addEventListener("error", () => {
  problem.textContent = "The worker could not be started.";
});

/** Run one action; the page says what went wrong with it, and nothing else. */
async function attempt(action) {
  problem.textContent = "";
  try {
    await action();
  } catch (error) {
    problem.textContent = error.message;
  }
}

let latestRefresh = 0;

/** Show the workspace as it is now; of overlapping calls, only the latest one is shown. */
async function refresh() {
  latestRefresh += 1;
  const mine = latestRefresh;
  const [{ root }, files] = await Promise.all([readRoot(), readFiles()]);
  if (mine !== latestRefresh) {
    return;
  }
  document.getElementById("root").textContent = root;
  showFiles(fileList, files);
  worker.postMessage(files.map((file) => file.size_bytes));
}

let sending = false;

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (sending) {
    return;
  }
  sending = true;
  await attempt(async () => {
    try {
      const { turn, echo } = await sendTurn(utterance.value);
      document.getElementById("reply").textContent = `Turn ${turn}: ${echo}`;
      form.reset();
      utterance.focus();
    } finally {
      // Before the refresh: a turn sent while the list still loads must not be dropped.
      sending = false;
    }
    await refresh();
  });
});

document.getElementById("load-lazy").addEventListener("click", () =>
  attempt(async () => {
    const { text } = await import("./lazy.js");
    document.getElementById("lazy-text").textContent = text;
  }),
);

attempt(refresh);
