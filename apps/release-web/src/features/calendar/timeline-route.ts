import { Type } from '@sinclair/typebox';
import type { Service } from '@workspace/service-kit';
import { type Answers, showsToday } from '../../http/rendering/answers.ts';
import { cacheable } from '../../http/rendering/cacheable.ts';
import { daily } from '../../http/rendering/daily.ts';
import { Representation } from '../../http/rendering/representation.ts';
import { timelineSvg } from './timeline-svg.ts';

/** The support schedule as a picture. It shows today. */
export const timeline = (app: Service, path: string, answers: Answers): void => {
  const picture = answers.prepare(
    ({ catalogue }, cache) =>
      (now: Date) =>
        daily(
          cache,
          'timeline',
          now,
          (today) => new Representation('image/svg+xml', timelineSvg(catalogue, today)),
        ),
  );
  const schema = {
    operationId: 'timeline',
    tags: ['api'],
    summary: 'How long each branch is supported, as a picture',
    response: cacheable('The picture.', { 'image/svg+xml': Type.String() }),
  };
  app.get(path, { schema }, (request, reply) =>
    answers.respond(request, reply, (current, _request, now) => picture(current)(now), showsToday),
  );
};
