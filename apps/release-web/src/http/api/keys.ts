import { type Static, Type } from '@sinclair/typebox';
import { Fingerprint, type SigningKey } from '@workspace/release-catalogue';
import { ProblemError } from '@workspace/service-kit/problems';
import { problems } from '../../problems.ts';
import type { Answers } from '../rendering/answers.ts';
import { cacheable, json } from '../rendering/cacheable.ts';
import { knownBranchOfQuery, OptionalBranch } from '../rendering/known-branch.ts';
import { Representation } from '../rendering/representation.ts';
import { answerWithMany, Many } from './envelope.ts';

/** An OpenPGP key that signs releases. */
export const ApiKey = Type.Object(
  {
    fingerprint: Fingerprint,
    manager: Type.String({ examples: ['calvinb'] }),
    branches: Type.Array(Type.String(), { description: 'whose releases it signs', examples: [['8.4']] }),
    public_key: Type.Union([Type.String(), Type.Null()], {
      description: 'in ASCII armour; null: only its fingerprint is on record',
      examples: [null],
    }),
  },
  { $id: 'SigningKey' },
);
export type ApiKey = Static<typeof ApiKey>;

const Keys = Many(ApiKey);
const tags = ['api'];
const KEYRING_TYPE = 'application/pgp-keys';

const keyView = ({ public_key, ...key }: SigningKey): ApiKey => ({ ...key, public_key: public_key ?? null });

/** The keys of all release managers, or of those of one branch. */
export const apiKeys = (answers: Answers, path: string): void =>
  answers.route(
    path,
    {
      operationId: 'keys',
      tags,
      summary: 'The OpenPGP keys that release managers sign releases with',
      querystring: OptionalBranch,
      problems: [problems['unknown-branch']],
      response: json(Keys),
    },
    (snapshot, cache) =>
      ({ query }) => {
        const branch = knownBranchOfQuery(snapshot, query)?.branch;
        return cache.get(`keys ${branch ?? ''}`, () => {
          const keys = (snapshot.catalogue.product.signing_keys ?? []).filter(
            ({ branches }) => branch === undefined || branches.includes(branch),
          );
          return answerWithMany(Keys, snapshot.lastModified, keys.map(keyView));
        });
      },
  );

/** The public keys on record in one file. */
export const keyring = (answers: Answers, path: string): void =>
  answers.route(
    path,
    {
      operationId: 'keyring',
      tags,
      summary: 'The public keys of the release managers, for gpg --import',
      problems: [problems['no-public-keys']],
      response: cacheable('The keys in ASCII armour.', {
        [KEYRING_TYPE]: Type.String({ examples: ['-----BEGIN PGP PUBLIC KEY BLOCK-----\n…'] }),
      }),
    },
    ({ catalogue }) => {
      const keys = (catalogue.product.signing_keys ?? []).flatMap(({ public_key }) => public_key ?? []);
      if (keys.length > 0) return new Representation(KEYRING_TYPE, keys.join(''));
      return () => {
        throw new ProblemError(problems['no-public-keys'], {
          detail: 'No public keys are on record. /api/v1/keys lists the fingerprints that are.',
        });
      };
    },
  );
