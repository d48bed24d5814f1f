import type { Service } from '@workspace/service-kit';

/** Every page may read every answer, refusals too: nothing here is secret and nothing needs a cookie. */
export function corsHooks(app: Service): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('access-control-allow-origin', '*').header('x-content-type-options', 'nosniff');
    done();
  });
  app.options('/*', (request, reply) =>
    reply
      .code(204)
      .headers({
        'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
        'access-control-allow-headers': request.headers['access-control-request-headers'] ?? 'content-type',
        'access-control-max-age': '86400',
      })
      .send(),
  );
}
