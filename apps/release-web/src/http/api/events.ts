import { type Static, Type } from '@sinclair/typebox';
import { isoDate } from '@workspace/release-catalogue';
import { type Transition, TRANSITION_KINDS, transitions } from '../../domain/transitions.ts';
import { dayNumber } from '../../domain/utc-day.ts';
import { problems } from '../../problems.ts';
import type { Answers } from '../rendering/answers.ts';
import { json } from '../rendering/cacheable.ts';
import { knownBranchOfQuery, OptionalBranch } from '../rendering/known-branch.ts';
import { answerWithMany, Many } from './envelope.ts';

/** A day on which a branch enters another part of its life, at 00:00 UTC. */
export const ApiEvent = Type.Object(
  {
    date: Type.String({ format: 'date', examples: ['2026-12-31'] }),
    branch: Type.String({ examples: ['8.4'] }),
    kind: Type.Union(TRANSITION_KINDS.map((kind) => Type.Literal(kind))),
    is_past: Type.Boolean(),
  },
  { $id: 'Event' },
);
export type ApiEvent = Static<typeof ApiEvent>;

export const eventView = ({ at, branch, kind }: Transition, now: Date): ApiEvent => ({
  date: isoDate(at),
  branch,
  kind,
  is_past: at <= now,
});

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

export const apiEvents = (answers: Answers, path: string): void =>
  answers.route(
    path,
    {
      operationId: 'events',
      tags: ['api'],
      summary: 'Days on which the support of a branch changes, past and coming',
      querystring: EventsQuery,
      problems: [problems['unknown-branch']],
      response: json(Events),
    },
    (snapshot, cache) =>
      ({ query }, now) => {
        const { catalogue, builtAt, lastModified } = snapshot;
        const file = knownBranchOfQuery(snapshot, query);
        const ofBranch = (): Transition[] =>
          transitions(catalogue).filter(({ branch }) => file === undefined || branch === file.branch);
        const answerWith = (events: readonly Transition[]) =>
          answerWithMany(
            Events,
            lastModified,
            events.map((transition) => eventView(transition, builtAt)),
          );
        const key = `events ${file?.branch ?? ''}`;
        if (query.within === undefined) return cache.get(key, () => answerWith(ofBranch()));
        const today = dayNumber(now);
        const last = today + Number.parseInt(query.within);
        const coming = ofBranch().filter(({ at }) => dayNumber(at) > today && dayNumber(at) <= last);
        // Other days with the same events have the same answer.
        const names = coming.map(({ at, branch, kind }) => `${at.getTime()} ${branch} ${kind}`).join();
        return cache.get(`${key} ${names}`, () => answerWith(coming).today());
      },
  );
