import type { BranchFile } from '@workspace/release-catalogue';
import type { Service } from '@workspace/service-kit';
import { transitions } from '../../domain/transitions.ts';
import { problems } from '../../problems.ts';
import type { Answers } from '../rendering/answers.ts';
import { json } from '../rendering/cacheable.ts';
import { knownBranchOfQuery, OptionalBranch } from '../rendering/known-branch.ts';
import { answerWithMany, Many } from './envelope.ts';
import { ApiEvent, eventView } from './event.ts';

const Events = Many(ApiEvent);

export const apiEvents = (app: Service, path: string, answers: Answers): void => {
  const answer = answers.prepare(
    ({ catalogue, builtAt, lastModified }, cache) =>
      (file: BranchFile | undefined) =>
        cache.get(`events ${file?.branch ?? ''}`, () => {
          const events = transitions(catalogue)
            .filter(({ branch }) => file === undefined || branch === file.branch)
            .map((transition) => eventView(transition, builtAt));
          return answerWithMany(Events, lastModified, events);
        }),
  );
  const schema = {
    operationId: 'events',
    tags: ['api'],
    summary: 'Days on which the support of a branch changes, past and coming',
    querystring: OptionalBranch,
    problems: [problems['unknown-branch']],
    response: json(Events),
  };
  app.get(path, { schema }, (request, reply) =>
    answers.respond(request, reply, (current, { query }) =>
      answer(current)(knownBranchOfQuery(current.snapshot, query)),
    ),
  );
};
