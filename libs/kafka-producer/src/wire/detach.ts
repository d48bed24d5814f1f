/**
 * Frees the memory of a buffer that has its own: V8 collects all garbage after every 64 MB of such memory. It must not be used
 * any more.
 */
export const detach = ({ buffer, length }: Buffer): void => {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
};
