import type { FastifyReply, FastifyRequest } from 'fastify';
import { escapeMarkup } from '@workspace/service-kit';
import { plainPage } from '@workspace/service-kit/problems';
import type { Core } from '../../extension-points.ts';
import { submitCommand } from '../../http/submit/example-request.ts';

type Facts = Pick<Core, 'config' | 'health' | 'isAuthenticated' | 'schemas' | 'version'>;

const MEANINGS = {
  up: 'Submissions are accepted.',
  warn: 'Submissions are accepted with a restriction. Health says which.',
  down: 'Submissions get 503. Health says why.',
};

/** GET / without the console: the state of the service, how to submit, and how to get the console. */
export const startPageRoute = (facts: Facts) => {
  const page = plainPage('ops-intake', (root) => ({ name: 'ops-intake', version: facts.version, root }));
  return {
    schema: { hide: true },
    handler: (request: FastifyRequest, reply: FastifyReply) => {
      const { status } = facts.health();
      const { html, headers } = page(
        'ops-intake',
        `<h1>ops-intake is ${status}</h1>
<p class="lead">${MEANINGS[status]}</p>
<p>Submit operations; this writes a real record to the topic:</p>
<pre><code>${escapeMarkup(submitCommand(facts, request))}</code></pre>
<p>For a console with what the service does now, start it with <code>CONSOLE=true</code>.</p>`,
        request.url,
      );
      return reply
        .headers({ ...headers, 'cache-control': 'no-store' })
        .type('text/html; charset=utf-8')
        .send(html);
    },
  };
};
