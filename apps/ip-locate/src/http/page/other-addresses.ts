/** How the page finds the caller's addresses besides the one that it was asked from. */
export interface OtherAddresses {
  /** each answers with an address as text */
  readonly urls: readonly string[];
  /** shows each element with `data-url`, with the address in its `code` */
  readonly script: string;
}
