import { type Static, Type } from '@sinclair/typebox';
import { BranchName, exact } from './scalars.ts';

/** What names an OpenPGP key: 40 hexadecimal digits, or 64 since RFC 9580. */
export const Fingerprint = Type.String({
  pattern: '^([0-9A-F]{40}|[0-9A-F]{64})$',
  examples: ['9D7F99A0CB8F05C8A6958D6256A97AF7600A39A6'],
});

/** What ASCII armour is made of. */
const armoured = (what: string): string =>
  `^-----BEGIN PGP ${what}-----\\n[A-Za-z0-9+/=:,. \\n-]+\\n-----END PGP ${what}-----\\n$`;

/** An OpenPGP key that signs releases. */
export const SigningKey = Type.Object(
  {
    fingerprint: Fingerprint,
    manager: Type.String({ pattern: '^[a-z0-9_-]+$', examples: ['calvinb'] }),
    branches: Type.Array(BranchName, {
      minItems: 1,
      uniqueItems: true,
      description: 'whose releases it signs',
      examples: [['8.4']],
    }),
    public_key: Type.Optional(
      Type.String({ pattern: armoured('PUBLIC KEY BLOCK'), description: 'the key itself, in ASCII armour' }),
    ),
  },
  exact,
);
export type SigningKey = Static<typeof SigningKey>;

/** A detached signature of a file. */
export const FileSignature = Type.Object(
  {
    fingerprint: { ...Fingerprint, description: 'of the key that made it' },
    armored: Type.String({ pattern: armoured('SIGNATURE'), description: 'the .asc file' }),
  },
  exact,
);
export type FileSignature = Static<typeof FileSignature>;

/** The signatures of a release by the names of its files. */
export const Signatures = Type.Record(Type.String({ minLength: 1 }), FileSignature);
export type Signatures = Static<typeof Signatures>;
