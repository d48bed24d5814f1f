import { Type } from '@sinclair/typebox';
import type { Service } from '@workspace/service-kit';
import { cacheable } from '../cacheable.ts';
import { responder, type ResponseSource, showsToday } from './respond.ts';

/** The support schedule as a calendar. */
export const schedule = (app: Service, path: string, source: ResponseSource): void => {
  const respond = responder(source);
  const schema = {
    operationId: 'schedule',
    tags: ['api'],
    summary: "The days of every branch's life as a calendar",
    response: cacheable('The calendar (RFC 5545).', {
      'text/calendar': Type.String({
        examples: ['BEGIN:VCALENDAR\r\nVERSION:2.0\r\n…\r\nEND:VCALENDAR\r\n'],
      }),
    }),
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
    respond(request, reply, ({ responses }, _request, now) => responses.timeline(now), showsToday),
  );
};
