import { Type } from '@sinclair/typebox';
import type { Service } from '@workspace/service-kit';
import { unconditional } from '../cacheable.ts';
import { type HostFacts, mirrorInfo as mirrorInfoText } from '../representations/mirror-info.ts';
import { aliased } from './aliased.ts';
import { responder, type ResponseSource } from './respond.ts';

/** Host information for the scripts that watch mirrors. @param paths the documented one first */
export const mirrorInfo = (
  app: Service,
  paths: readonly string[],
  source: ResponseSource,
  host: HostFacts,
): void => {
  const respond = responder(source);
  const route = {
    operationId: 'mirrorInfo',
    tags: ['contract'],
    summary: 'Eleven fields about this host in one line, separated by |',
    response: unconditional('The line; always in full.', {
      'text/plain': Type.String({
        examples: [
          'http://localhost:3001/|24.21.0|1786579200|0|0|en|manual-noalias|1|releases,feed,branches,pre-releases|localhost|127.0.0.1',
        ],
      }),
    }),
  };
  for (const [path, schema] of aliased(paths, route)) {
    app.get(path, { schema }, (request, reply) =>
      // The contract says that it is always 200: without data it says so by its fields.
      source.store.at(source.clock())
        ? respond(request, reply, ({ responses }) => responses.mirrorInfo)
        : reply
            .headers({ 'cache-control': 'no-store', 'content-type': 'text/plain; charset=utf-8' })
            .send(mirrorInfoText(null, host)),
    );
  }
};
