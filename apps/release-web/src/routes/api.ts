import { type Static, Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { Refusal } from '@workspace/service-kit';
import type { BranchFile } from '../data/index.ts';
import { RecordedVersion } from '../data/scalars.ts';
import { refusals } from '../errors.ts';
import type { Operations } from '../http/operation.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { branchOf } from '../domain/version.ts';
import { ApiAnswers } from '../snapshot/api-answers.ts';
import { JsonFeed } from '../views/json-feed.ts';
import { CURSOR_PATTERN } from '../views/api/release-page.ts';
import { answers, type AnswerSource } from './answers.ts';

const BranchParameter = Type.String({ pattern: '^\\d{1,9}\\.\\d{1,9}$', examples: ['8.4'] });

const OneBranch = Type.Object({ branch: BranchParameter });
const OneRelease = Type.Object({ version: RecordedVersion });
const OptionalBranch = Type.Object({ branch: Type.Optional(BranchParameter) });
const ReleaseList = Type.Object({
  branch: Type.Optional(BranchParameter),
  since: Type.Optional(Type.String({ format: 'date', description: 'released on this day or later' })),
  security: Type.Optional(
    Type.Boolean({ description: 'only those that fix security faults, or only the others' }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
  cursor: Type.Optional(
    Type.String({ pattern: CURSOR_PATTERN, description: 'next_cursor of the page before' }),
  ),
});
const SupportQuery = Type.Object({
  version: Type.String({
    pattern: '^\\d{1,9}\\.\\d{1,9}(\\.\\d{1,9})?$',
    description: 'of an installation, or a branch',
    examples: ['8.4.20'],
  }),
});

/** `/api/v1`: the same facts for today's clients. */
export const apiRoutes = (operations: Operations, source: AnswerSource): void => {
  const get = (
    path: string,
    id: string,
    summary: string,
    more: Partial<Parameters<Operations['get']>[0]> & Pick<Parameters<Operations['get']>[0], 'answers'>,
    pick: (snapshot: Snapshot, request: FastifyRequest, now: Date) => ReturnType<Snapshot['api']['branch']>,
  ): void =>
    operations.get({ path: `/api/v1${path}`, id, tag: 'api', summary, ...more }, answers(source, pick));
  const json = (schema: (typeof ApiAnswers)[keyof typeof ApiAnswers]) => ({
    answers: { 'application/json': schema },
  });

  get(
    '/branches',
    'branches',
    'Every branch with its state now, newest first',
    json(ApiAnswers.branches),
    ({ api }) => api.branches,
  );
  get(
    '/branches/:branch',
    'branch',
    'One branch',
    { params: OneBranch, ...json(ApiAnswers.branch) },
    (snapshot, { params }) =>
      snapshot.api.branch(knownBranch(snapshot, (params as Static<typeof OneBranch>).branch)),
  );
  get(
    '/releases',
    'releases',
    'Releases, newest first, in pages',
    { query: ReleaseList, ...json(ApiAnswers.releases) },
    (snapshot, { query }) => {
      const { branch, since, security, limit, cursor } = query as Static<typeof ReleaseList>;
      if (branch !== undefined) knownBranch(snapshot, branch);
      return snapshot.api.releases({
        limit,
        ...(branch !== undefined && { branch }),
        ...(since !== undefined && { since }),
        ...(security !== undefined && { security }),
        ...(cursor !== undefined && { cursor }),
      });
    },
  );
  get(
    '/releases/latest',
    'latestRelease',
    'The newest release, of all or of one branch',
    { query: OptionalBranch, ...json(ApiAnswers.release) },
    (snapshot, { query }) => {
      const { branch } = query as Static<typeof OptionalBranch>;
      const answer = snapshot.api.latest(branch === undefined ? undefined : knownBranch(snapshot, branch));
      if (!answer) throw new Refusal(refusals['unknown-release'], { detail: 'Nothing is released yet.' });
      return answer;
    },
  );
  get(
    '/releases/:version',
    'release',
    'One release',
    { params: OneRelease, ...json(ApiAnswers.release) },
    (snapshot, { params }) => {
      const { version } = params as Static<typeof OneRelease>;
      const answer = snapshot.api.release(version);
      if (!answer) throw new Refusal(refusals['unknown-release'], { detail: `${version} is not on record.` });
      return answer;
    },
  );
  get(
    '/pre-releases',
    'preReleases',
    'Coming releases and their builds',
    json(ApiAnswers.preReleases),
    ({ api }) => api.preReleases,
  );
  get(
    '/dev-versions',
    'devVersions',
    'Versions under development',
    json(ApiAnswers.devVersions),
    ({ api }) => api.devVersions,
  );
  get(
    '/support',
    'support',
    'What an installation needs: a patch, an upgrade or nothing',
    { query: SupportQuery, ...json(ApiAnswers.support) },
    (snapshot, { query }) => {
      const { version } = query as Static<typeof SupportQuery>;
      knownBranch(snapshot, branchOf(version));
      return snapshot.api.support(version);
    },
  );
  get(
    '/events',
    'events',
    'Days on which a branch enters another part of its life, past and coming',
    { query: OptionalBranch, ...json(ApiAnswers.events) },
    (snapshot, { query }) => {
      const { branch } = query as Static<typeof OptionalBranch>;
      return snapshot.api.events(branch === undefined ? undefined : knownBranch(snapshot, branch));
    },
  );
  get(
    '/schedule.ics',
    'schedule',
    'The same days as a calendar',
    { answers: { 'text/calendar': Type.String() } },
    (snapshot) => snapshot.schedule,
  );
  operations.get(
    {
      path: '/api/v1/timeline.svg',
      id: 'timeline',
      tag: 'api',
      summary: 'How long each branch is supported, as a picture',
      answers: { 'image/svg+xml': Type.String() },
    },
    answers(source, (snapshot, _request, now) => snapshot.timeline(now), sinceMidnight),
  );
  operations.get(
    {
      path: '/releases/feed.json',
      id: 'jsonFeed',
      tag: 'api',
      summary: 'The entries of the Atom feed as JSON Feed 1.1',
      answers: { 'application/feed+json': JsonFeed },
    },
    answers(source, (snapshot) => snapshot.jsonFeed),
  );
};

/** The branch of that name. */
const knownBranch = ({ catalogue }: Snapshot, name: string): BranchFile => {
  const branch = catalogue.branches.find((candidate) => candidate.branch === name);
  if (!branch) {
    const names = catalogue.branches.map((candidate) => candidate.branch).join(', ');
    throw new Refusal(refusals['unknown-branch'], {
      detail: `Branch ${name} is not on record; these are: ${names}.`,
    });
  }
  return branch;
};

/** The picture shows today: it changes at midnight too. */
const sinceMidnight = ({ lastModified, nextTransition }: Snapshot, now: Date) => {
  const today = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
  const tomorrow = new Date(today.getTime() + DAY_MS);
  const modified = lastModified > today ? lastModified : today;
  return {
    lastModified: modified,
    lastModifiedText: modified.toUTCString(),
    nextTransition: nextTransition && nextTransition < tomorrow ? nextTransition : tomorrow,
  };
};

const DAY_MS = 86_400_000;
