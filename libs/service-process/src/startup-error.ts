/**
 * A service cannot start, for a reason that its operator can fix: a wrong environment, invalid data. `startService` prints
 * the message alone, without a stack.
 */
export class StartupError extends Error {
  override readonly name: string = 'StartupError';
}
