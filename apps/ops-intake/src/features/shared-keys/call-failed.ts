/** A call that failed, and whether the store may have carried it out all the same. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  /** for a counter's label: the first word of the store's error, `TIMEOUT` or `DISCONNECTED` */
  readonly type: string;
  readonly perhapsDone: boolean;
  constructor(type: string, perhapsDone: boolean, message: string, cause?: unknown) {
    super(message, { cause });
    this.type = type;
    this.perhapsDone = perhapsDone;
  }
  /** The store has the call, or will have it, and has not answered: it may yet carry it out. */
  get mayBeLate(): boolean {
    return this.perhapsDone && (this.type === 'TIMEOUT' || this.type === 'DISCONNECTED');
  }
}
