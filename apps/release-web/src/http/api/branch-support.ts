import { type Static, Type } from '@sinclair/typebox';
import { type BranchFile, isoDate, latestRelease } from '@workspace/release-catalogue';
import { commonProblems, type Service } from '@workspace/service-kit';
import { hasRelease, isSupported, supportState } from '../../domain/support-state.ts';
import { problems } from '../../problems.ts';
import type { Answers } from '../rendering/answers.ts';
import { json } from '../rendering/cacheable.ts';
import { jsonRepresentation } from '../rendering/checked-json.ts';
import { BranchParameter, knownBranch } from '../rendering/known-branch.ts';
import { ApiState } from './branch.ts';
import { NullableDate } from './envelope.ts';

/** A branch in one flat object, for scripts. */
export const BranchSupport = Type.Object(
  {
    branch: Type.String({ examples: ['8.4'] }),
    state: ApiState,
    is_maintained: Type.Boolean({ description: 'gets at least security fixes now' }),
    is_eol: Type.Boolean({ description: 'was released and gets no fixes any more' }),
    latest: Type.Union([Type.String({ examples: ['8.4.24'] }), Type.Null()]),
    latest_release_date: NullableDate('day of the latest release'),
    initial_release: NullableDate('day of the first release'),
    active_support_end: NullableDate('from this day on, 00:00 UTC, only security issues are fixed'),
    security_support_end: NullableDate('from this day on, 00:00 UTC, nothing is fixed'),
  },
  { $id: 'BranchSupport' },
);
export type BranchSupport = Static<typeof BranchSupport>;

/** What a script asks of a branch. */
export const branchSupport = (app: Service, path: `${string}:branch${string}`, answers: Answers): void => {
  const answer = answers.prepare(
    ({ builtAt }, cache) =>
      (branch: BranchFile) =>
        cache.get(`support.json ${branch.branch}`, () =>
          jsonRepresentation(BranchSupport, branchSupportView(branch, builtAt)),
        ),
  );
  const schema = {
    operationId: 'branchSupport',
    tags: ['api'],
    summary: 'Whether a branch is maintained, and its latest release, in one flat object',
    params: Type.Object({ branch: BranchParameter }),
    problems: [problems['unknown-branch'], commonProblems['not-found']],
    response: json(BranchSupport),
  };
  app.get(path, { schema }, (request, reply) =>
    answers.respond(request, reply, (current, { params }) =>
      answer(current)(knownBranch(current.snapshot, params.branch)),
    ),
  );
};

/** `/releases/8.4/support.json`: what a script asks of a branch, in one flat object. */
const branchSupportView = (branch: BranchFile, now: Date): BranchSupport => {
  const { state, initialRelease, activeSupportEnd, securitySupportEnd } = supportState(branch, now);
  const latest = latestRelease(branch);
  const isMaintained = isSupported(branch, now);
  return {
    branch: branch.branch,
    state: hasRelease(branch) ? state : 'planned',
    is_maintained: isMaintained,
    is_eol: hasRelease(branch) && !isMaintained,
    latest: latest?.version ?? null,
    latest_release_date: latest?.date ?? null,
    initial_release: initialRelease && isoDate(initialRelease),
    active_support_end: activeSupportEnd && isoDate(activeSupportEnd),
    security_support_end: securitySupportEnd && isoDate(securitySupportEnd),
  };
};
