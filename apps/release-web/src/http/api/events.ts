import { Type } from '@sinclair/typebox';
import type { BranchFile } from '@workspace/release-catalogue';
import type { Service } from '@workspace/service-kit';
import { type Transition, transitions } from '../../domain/transitions.ts';
import { dayNumber } from '../../domain/utc-day.ts';
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

export const apiEvents = (app: Service, path: string, answers: Answers): void => {
  const answer = answers.prepare(
    ({ catalogue, builtAt, lastModified }, cache) =>
      (file: BranchFile | undefined, today: number, days: number | undefined) => {
        const ofBranch = (): Transition[] =>
          transitions(catalogue).filter(({ branch }) => file === undefined || branch === file.branch);
        const answerWith = (events: readonly Transition[]) =>
          answerWithMany(
            Events,
            lastModified,
            events.map((transition) => eventView(transition, builtAt)),
          );
        const key = `events ${file?.branch ?? ''}`;
        if (days === undefined) return cache.get(key, () => answerWith(ofBranch()));
        const coming = ofBranch().filter(({ at }) => dayNumber(at) > today && dayNumber(at) <= today + days);
        // Other days with the same events have the same answer.
        const names = coming.map(({ at, branch, kind }) => `${at.getTime()} ${branch} ${kind}`).join();
        return cache.get(`${key} ${names}`, () => answerWith(coming));
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
          dayNumber(now),
          within === undefined ? undefined : Number.parseInt(within),
        ),
      within === undefined ? undefined : showsToday,
    );
  });
};
