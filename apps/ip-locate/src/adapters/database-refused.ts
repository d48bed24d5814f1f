/** A file that must not serve answers. The message says why, for the operator; it names no path. */
export class DatabaseRejected extends Error {
  override readonly name = 'DatabaseRejected';
}
