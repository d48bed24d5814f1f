import { Type } from '@sinclair/typebox';
import type { Service } from '@workspace/service-kit';
import type { Rendered } from '../../application/snapshot-store.ts';
import { cacheable } from '../cacheable.ts';
import { type Validity, validityOf } from '../send.ts';
import { responder, type ResponseSource } from './respond.ts';

/** The support schedule as a calendar. */
export const schedule = (app: Service, path: string, source: ResponseSource): void => {
  const respond = responder(source);
  const schema = {
    operationId: 'schedule',
    tags: ['api'],
    summary: "The days of every branch's life as a calendar",
    response: cacheable('The calendar (RFC 5545).', { 'text/calendar': Type.String() }),
  };
  app.get(path, { schema }, (request, reply) =>
    respond(request, reply, ({ responses }) => responses.schedule),
  );
};

/** The support schedule as a picture. */
export const timeline = (app: Service, path: string, source: ResponseSource): void => {
  const respond = responder(source);
  const schema = {
    operationId: 'timeline',
    tags: ['api'],
    summary: 'How long each branch is supported, as a picture',
    response: cacheable('The picture.', { 'image/svg+xml': Type.String() }),
  };
  app.get(path, { schema }, (request, reply) =>
    respond(request, reply, ({ responses }, _request, now) => responses.timeline(now), sinceMidnight),
  );
};

const DAY_MS = 86_400_000;

/** The picture shows today: it changes at midnight too. */
const sinceMidnight = (
  { snapshot: { lastModified, nextTransition } }: Rendered<unknown>,
  now: Date,
): Validity => {
  const today = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
  const tomorrow = new Date(today.getTime() + DAY_MS);
  return validityOf(
    lastModified > today ? lastModified : today,
    nextTransition && nextTransition < tomorrow ? nextTransition : tomorrow,
  );
};
