import { type Static, Type } from '@sinclair/typebox';
import { Fingerprint, type SigningKey } from '@workspace/release-catalogue';
import type { Service } from '@workspace/service-kit';
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
export const apiKeys = (app: Service, path: string, answers: Answers): void => {
  const answer = answers.prepare(({ catalogue, lastModified }, cache) => (branch: string | undefined) => {
    const keys = (catalogue.product.signing_keys ?? []).filter(
      ({ branches }) => branch === undefined || branches.includes(branch),
    );
    return cache.get(`keys ${branch ?? ''}`, () => answerWithMany(Keys, lastModified, keys.map(keyView)));
  });
  const schema = {
    operationId: 'keys',
    tags,
    summary: 'The OpenPGP keys that release managers sign releases with',
    querystring: OptionalBranch,
    problems: [problems['unknown-branch']],
    response: json(Keys),
  };
  app.get(path, { schema }, (request, reply) =>
    answers.respond(request, reply, (current, { query }) =>
      answer(current)(knownBranchOfQuery(current.snapshot, query)?.branch),
    ),
  );
};

/** The public keys on record in one file. */
export const keyring = (app: Service, path: string, answers: Answers): void => {
  const answer = answers.prepare(({ catalogue }) => {
    const keys = (catalogue.product.signing_keys ?? []).flatMap(({ public_key }) => public_key ?? []);
    return keys.length > 0 ? new Representation(KEYRING_TYPE, keys.join('')) : undefined;
  });
  const schema = {
    operationId: 'keyring',
    tags,
    summary: 'The public keys of the release managers, for gpg --import',
    problems: [problems['no-public-keys']],
    response: cacheable('The keys in ASCII armour.', {
      [KEYRING_TYPE]: Type.String({ examples: ['-----BEGIN PGP PUBLIC KEY BLOCK-----\n…'] }),
    }),
  };
  app.get(path, { schema }, (request, reply) =>
    answers.respond(request, reply, (current) => {
      const keys = answer(current);
      if (keys) return keys;
      throw new ProblemError(problems['no-public-keys'], {
        detail: 'No public keys are on record. /api/v1/keys lists the fingerprints that are.',
      });
    }),
  );
};
