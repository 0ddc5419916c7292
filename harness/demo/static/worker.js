import { sum } from "./sum.js";

self.addEventListener("message", ({ data }) => {
  self.postMessage(sum(data));
});
