// The same answers as release-web's, status, headers and body, by bare Fastify or bare node:http and nothing else: what the
// service could be at most. Arguments: `fastify` or `http`, and a file of recorded answers.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fastify } from 'fastify';

const [, , kind, file] = process.argv;
/** by URL and form; see recording.ts */
const answers = JSON.parse(readFileSync(file, 'utf8'), (key, value) =>
  key === 'body' ? Buffer.from(value, 'base64') : value,
);
const answerTo = ({ url, headers }) =>
  answers[url][headers['if-none-match'] ? 'unchanged' : headers['accept-encoding'] ? 'compressed' : 'plain'];

if (kind === 'fastify') {
  const app = fastify();
  for (const path of new Set(Object.keys(answers).map((url) => url.split('?')[0]))) {
    app.get(path, (request, reply) => {
      const { status, headers, body } = answerTo(request);
      return reply.code(status).headers(headers).send(body);
    });
  }
  console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
} else {
  const server = createServer((request, response) => {
    const { status, headers, body } = answerTo(request);
    response.writeHead(status, body ? { ...headers, 'content-length': body.length } : headers);
    response.end(body);
  });
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
}
process.on('SIGTERM', () => process.exit(0));
