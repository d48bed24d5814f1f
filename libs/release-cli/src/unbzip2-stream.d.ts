/** `unbzip2-stream` ships no types. */
declare module 'unbzip2-stream' {
  /** A stream of the first kind that Node had: bytes of a bzip2 file go in, its content comes out. */
  const unbzip2: () => NodeJS.ReadWriteStream;
  export default unbzip2;
}
