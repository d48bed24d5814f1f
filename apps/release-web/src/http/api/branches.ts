import { type Static, Type } from '@sinclair/typebox';
import { type BranchFile, isoDate, latestRelease } from '@workspace/release-catalogue';
import { problems } from '../../problems.ts';
import type { Answers } from '../rendering/answers.ts';
import { json } from '../rendering/cacheable.ts';
import { BranchParameter, knownBranch } from '../rendering/known-branch.ts';
import { answerWithMany, answerWithOne, Many, NullableDate, One } from './envelope.ts';
import { branchState, hasRelease, isSupported, STATES, supportState } from '../../domain/support-state.ts';
import { branchTransitions } from '../../domain/transitions.ts';
import { lastDay } from '../dates.ts';
import { ApiEvent, eventView } from './events.ts';

export const ApiState = Type.Union([...STATES.map((state) => Type.Literal(state)), Type.Null()], {
  description: 'future: without a release so far, or all were withdrawn; null: a date is not known',
});

/** A branch with its state now. */
export const ApiBranch = Type.Object(
  {
    branch: Type.String({ examples: ['8.4'] }),
    state: ApiState,
    is_supported: Type.Boolean({ description: 'security issues are still fixed' }),
    latest: Type.Union([Type.String(), Type.Null()], { examples: ['8.4.24'] }),
    initial_release: NullableDate('day of the first release'),
    expected_release: NullableDate('expected day of the first release; null once it is out'),
    active_support_end: NullableDate('from this day on, 00:00 UTC, only security issues are fixed'),
    security_support_end: NullableDate('from this day on, 00:00 UTC, nothing is fixed'),
    last_supported_day: NullableDate('the day before security_support_end'),
    next_transition: Type.Union([ApiEvent, Type.Null()]),
  },
  { $id: 'Branch' },
);
export type ApiBranch = Static<typeof ApiBranch>;

export const branchView = (branch: BranchFile, now: Date): ApiBranch => {
  const { initialRelease, activeSupportEnd, securitySupportEnd } = supportState(branch, now);
  const next = branchTransitions(branch).find(({ at }) => at > now);
  return {
    branch: branch.branch,
    state: branchState(branch, now),
    is_supported: isSupported(branch, now),
    latest: latestRelease(branch)?.version ?? null,
    initial_release: day(initialRelease),
    expected_release: hasRelease(branch) ? null : (branch.expected ?? null),
    active_support_end: day(activeSupportEnd),
    security_support_end: day(securitySupportEnd),
    last_supported_day: lastSupportedDay(securitySupportEnd),
    next_transition: next ? eventView(next, now) : null,
  };
};

const day = (date: Date | null): string | null => date && isoDate(date);

/** The day before an end. */
export const lastSupportedDay = (end: Date | null): string | null => end && isoDate(lastDay(end));

const tags = ['api'];
const Branches = Many(ApiBranch);
const Branch = One(ApiBranch);

export const apiBranches = (answers: Answers, path: string): void =>
  answers.route(
    path,
    {
      operationId: 'branches',
      tags,
      summary: 'Every branch with its state now, newest first',
      response: json(Branches),
    },
    ({ catalogue, builtAt, lastModified }) => {
      const items = [...catalogue.branches].reverse().map((branch) => branchView(branch, builtAt));
      return answerWithMany(Branches, lastModified, items).popular();
    },
  );

export const apiBranch = (answers: Answers, path: `${string}:branch`): void =>
  answers.route(
    path,
    {
      operationId: 'branch',
      tags,
      summary: 'One branch',
      params: Type.Object({ branch: BranchParameter }),
      problems: [problems['unknown-branch']],
      response: json(Branch),
    },
    (snapshot, cache) =>
      ({ params }) => {
        const branch = knownBranch(snapshot, params.branch);
        return cache.get(`branch ${branch.branch}`, () =>
          answerWithOne(Branch, snapshot.lastModified, branchView(branch, snapshot.builtAt)),
        );
      },
  );
