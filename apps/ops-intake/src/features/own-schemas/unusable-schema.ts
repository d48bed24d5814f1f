/** A schema that the service does not start with. The message says why. */
export class UnusableSchema extends Error {
  override readonly name = 'UnusableSchema';
  /** @param at JSON Pointer into the schema */
  constructor(at: string, reason: string) {
    super(at === '' ? reason : `${at}: ${reason}`);
  }
}
