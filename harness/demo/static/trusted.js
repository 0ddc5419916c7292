// The policy of last resort (Trusted Types, "default"): the page starts this one worker, and
// every other string that would become code is refused.
const workerAddress = new URL("./worker.js", import.meta.url).href;

globalThis.trustedTypes?.createPolicy("default", {
  createScriptURL(address) {
    if (address !== workerAddress) {
      throw new TypeError(`not a script of this page: ${address}`);
    }
    return address;
  },
});
