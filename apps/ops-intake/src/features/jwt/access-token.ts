import type { Identity } from '../../application/identity.ts';

/** A token that was not issued for this service, has expired, or was tampered with. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken';
}

/** A valid token that does not permit this. */
export class InsufficientScope extends Error {
  override readonly name = 'InsufficientScope';
  readonly scope: string;
  constructor(scope: string) {
    super(`the token lacks the scope ${scope}`);
    this.scope = scope;
  }
}

/** The keys of the issuer are not known, so no token of it can be checked. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable';
}

/** Checks the tokens of an issuer. */
export interface AccessTokenVerifier {
  /** @throws InvalidToken, InsufficientScope, IssuerUnavailable */
  verify(token: string): Promise<Identity>;
  /** why the keys of the issuer could not be read last time; undefined when they could */
  unreadable(): string | undefined;
  /** whether any keys were ever read: without them, no token can be checked */
  hasKeys(): boolean;
  close(): void;
}
