import { Type } from '@sinclair/typebox';
import type { BranchFile } from '@workspace/release-catalogue';
import type { Service } from '@workspace/service-kit';
import { transitions } from '../../domain/transitions.ts';
import { problems } from '../../problems.ts';
import { type Answers, showsToday } from '../rendering/answers.ts';
import { json } from '../rendering/cacheable.ts';
import { knownBranchOfQuery, OptionalBranch } from '../rendering/known-branch.ts';
import { answerWithMany, Many } from './envelope.ts';
import { ApiEvent, eventView } from './event.ts';

const Events = Many(ApiEvent);
const EventsQuery = Type.Object({
  ...OptionalBranch.properties,
  within: Type.Optional(
    Type.String({
      pattern: '^\\d{1,4}d$',
      description: 'only those of the next days, today (UTC) not included',
      examples: ['30d'],
    }),
  ),
});
const DAY_MS = 86_400_000;
const dayOf = (date: Date): number => Math.floor(date.getTime() / DAY_MS);

export const apiEvents = (app: Service, path: string, answers: Answers): void => {
  const answer = answers.prepare(
    ({ catalogue, builtAt, lastModified }, cache) =>
      (file: BranchFile | undefined, today: number, days: number | undefined) => {
        const events = transitions(catalogue).filter(
          ({ branch, at }) =>
            (file === undefined || branch === file.branch) &&
            (days === undefined || (dayOf(at) > today && dayOf(at) <= today + days)),
        );
        // Other days with the same events have the same answer.
        const key = `events ${file?.branch ?? ''} ${days === undefined ? '' : events.map(({ at, branch, kind }) => `${at.getTime()} ${branch} ${kind}`).join()}`;
        return cache.get(key, () =>
          answerWithMany(
            Events,
            lastModified,
            events.map((transition) => eventView(transition, builtAt)),
          ),
        );
      },
  );
  const schema = {
    operationId: 'events',
    tags: ['api'],
    summary: 'Days on which the support of a branch changes, past and coming',
    querystring: EventsQuery,
    problems: [problems['unknown-branch']],
    response: json(Events),
  };
  app.get(path, { schema }, (request, reply) => {
    const { within } = request.query;
    return answers.respond(
      request,
      reply,
      (current, { query }, now) =>
        answer(current)(
          knownBranchOfQuery(current.snapshot, query),
          dayOf(now),
          within === undefined ? undefined : Number.parseInt(within),
        ),
      within === undefined ? undefined : showsToday,
    );
  });
};
