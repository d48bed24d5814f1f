/** Fills bytes from `start` on with random ones that cannot be guessed; at most 8 KiB at a time. */
export type FillRandomly = (target: Uint8Array, start: number) => void;
