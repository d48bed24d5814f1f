/** An edit that the facts do not allow: the release exists already, the branch is unknown, … Nothing has changed. */
export class EditError extends Error {
  override readonly name = 'EditError';
}
