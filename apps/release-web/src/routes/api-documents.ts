import { Type } from '@sinclair/typebox';
import type { Operations } from '../http/operation.ts';
import type { Validity } from '../http/send-answer.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { JsonFeed } from '../views/json-feed.ts';
import { answers, type AnswerSource } from './answers.ts';

/** The same facts as a calendar, a picture and a feed. */
export const apiDocumentRoutes = (operations: Operations, source: AnswerSource): void => {
  operations.get(
    {
      path: '/api/v1/schedule.ics',
      id: 'schedule',
      tag: 'api',
      summary: "The days of every branch's life as a calendar",
      answers: { 'text/calendar': Type.String() },
    },
    answers(source, ({ schedule }) => schedule),
  );
  operations.get(
    {
      path: '/api/v1/timeline.svg',
      id: 'timeline',
      tag: 'api',
      summary: 'How long each branch is supported, as a picture',
      answers: { 'image/svg+xml': Type.String() },
    },
    answers(source, ({ timeline }, _request, now) => timeline(now), sinceMidnight),
  );
  operations.get(
    {
      path: '/releases/feed.json',
      id: 'jsonFeed',
      tag: 'api',
      summary: 'The entries of the Atom feed as JSON Feed 1.1',
      answers: { 'application/feed+json': JsonFeed },
    },
    answers(source, ({ jsonFeed }) => jsonFeed),
  );
};

const DAY_MS = 86_400_000;

/** The picture shows today: it changes at midnight too. */
const sinceMidnight = ({ lastModified, nextTransition }: Snapshot, now: Date): Validity => {
  const today = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
  const tomorrow = new Date(today.getTime() + DAY_MS);
  const modified = lastModified > today ? lastModified : today;
  return {
    lastModified: modified,
    lastModifiedText: modified.toUTCString(),
    nextTransition: nextTransition && nextTransition < tomorrow ? nextTransition : tomorrow,
  };
};
