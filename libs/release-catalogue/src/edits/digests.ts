/** SHA-256 digests in lowercase hex, by file name. */
export type Digests = ReadonlyMap<string, string>;
