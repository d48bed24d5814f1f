import { Type } from '@sinclair/typebox';
import type { BranchFile } from '@workspace/release-catalogue';
import type { Service } from '@workspace/service-kit';
import { problems } from '../../problems.ts';
import type { Answers } from '../rendering/answers.ts';
import { json } from '../rendering/cacheable.ts';
import { BranchParameter, knownBranch } from '../rendering/known-branch.ts';
import { ApiBranch, branchView } from './branch.ts';
import { answerWithMany, answerWithOne, Many, One } from './envelope.ts';

const tags = ['api'];
const Branches = Many(ApiBranch);
const Branch = One(ApiBranch);

export const apiBranches = (app: Service, path: string, answers: Answers): void => {
  const answer = answers.prepare(({ catalogue, builtAt, lastModified }) => {
    const items = [...catalogue.branches].reverse().map((branch) => branchView(branch, builtAt));
    return answerWithMany(Branches, lastModified, items).popular();
  });
  const schema = {
    operationId: 'branches',
    tags,
    summary: 'Every branch with its state now, newest first',
    response: json(Branches),
  };
  app.get(path, { schema }, (request, reply) => answers.respond(request, reply, answer));
};

export const apiBranch = (app: Service, path: `${string}:branch`, answers: Answers): void => {
  const answer = answers.prepare(
    ({ builtAt, lastModified }, cache) =>
      (branch: BranchFile) =>
        cache.get(`branch ${branch.branch}`, () =>
          answerWithOne(Branch, lastModified, branchView(branch, builtAt)),
        ),
  );
  const schema = {
    operationId: 'branch',
    tags,
    summary: 'One branch',
    params: Type.Object({ branch: BranchParameter }),
    problems: [problems['unknown-branch']],
    response: json(Branch),
  };
  app.get(path, { schema }, (request, reply) =>
    answers.respond(request, reply, (current, { params }) =>
      answer(current)(knownBranch(current.snapshot, params.branch)),
    ),
  );
};
