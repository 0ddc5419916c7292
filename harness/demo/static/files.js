import { inBytes } from "./units.js";

function item({ name, size_bytes: sizeBytes }) {
  const row = document.createElement("li");
  const label = document.createElement("span");
  label.className = "name";
  label.textContent = name;
  const size = document.createElement("span");
  size.className = "size";
  size.textContent = inBytes(sizeBytes);
  row.append(label, " ", size);
  return row;
}

/** Make `list` show exactly these files. */
export function showFiles(list, files) {
  list.replaceChildren(...files.map(item));
}
