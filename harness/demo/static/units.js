/** Say a size in words: 1 byte, 2 bytes. */
export function inBytes(sizeBytes) {
  return `${sizeBytes} ${sizeBytes === 1 ? "byte" : "bytes"}`;
}
