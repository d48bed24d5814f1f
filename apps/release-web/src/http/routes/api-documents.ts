import { Type } from '@sinclair/typebox';
import type { Service } from '@workspace/service-kit';
import { cacheable } from '../cacheable.ts';
import type { Validity } from '../send.ts';
import type { Snapshot } from '../responses.ts';
import { JsonFeed } from '../representations/json-feed.ts';
import { answering, type AnswerSource } from './answers.ts';

/** The same facts as a calendar, a picture and a feed. */
export const apiDocumentRoutes = (app: Service, source: AnswerSource): void => {
  const answer = answering(source);
  app.get(
    '/api/v1/schedule.ics',
    {
      schema: {
        operationId: 'schedule',
        tags: ['api'],
        summary: "The days of every branch's life as a calendar",
        response: cacheable('The calendar (RFC 5545).', { 'text/calendar': Type.String() }),
      },
    },
    (request, reply) => answer(request, reply, ({ schedule }) => schedule),
  );
  app.get(
    '/api/v1/timeline.svg',
    {
      schema: {
        operationId: 'timeline',
        tags: ['api'],
        summary: 'How long each branch is supported, as a picture',
        response: cacheable('The picture.', { 'image/svg+xml': Type.String() }),
      },
    },
    (request, reply) => answer(request, reply, ({ timeline }, _request, now) => timeline(now), sinceMidnight),
  );
  app.get(
    '/releases/feed.json',
    {
      schema: {
        operationId: 'jsonFeed',
        tags: ['api'],
        summary: 'The entries of the Atom feed as JSON Feed 1.1',
        response: cacheable('The feed.', { 'application/feed+json': JsonFeed }),
      },
    },
    (request, reply) => answer(request, reply, ({ jsonFeed }) => jsonFeed),
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
