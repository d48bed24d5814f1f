import type { Catalogue } from '../facts/catalogue.ts';
import type { ProductFile, SigningKey } from '../schemas/index.ts';
import { EditError, publicationInstant } from './branch-edit.ts';

export interface NewKey {
  readonly fingerprint: string;
  /** in ASCII armour */
  readonly publicKey: string;
  /** of a key that is not on record */
  readonly manager?: string | undefined;
  readonly branches: readonly string[];
}

/** Puts a public key on record, or a newer version of one, and the branches whose releases it signs. */
export const addKey = (catalogue: Catalogue, added: NewKey, now: Date): ProductFile => {
  const { product } = catalogue;
  const { fingerprint, publicKey, branches } = added;
  const keys = product.signing_keys ?? [];
  const known = keys.find((key) => key.fingerprint === fingerprint);
  const manager = added.manager ?? known?.manager;
  if (manager === undefined) {
    throw new EditError(`${fingerprint} is not on record: add --manager and --branch.`);
  }
  if (known && known.manager !== manager)
    throw new EditError(`${fingerprint} is the key of ${known.manager}.`);
  const key: SigningKey = {
    fingerprint,
    manager,
    branches: [...new Set([...(known?.branches ?? []), ...branches])],
    public_key: publicKey,
  };
  if (key.branches.length === 0) throw new EditError(`${fingerprint} signs no branch yet: add --branch.`);
  return {
    ...product,
    updated: publicationInstant(catalogue, now),
    signing_keys: known ? keys.map((each) => (each === known ? key : each)) : [...keys, key],
  };
};
