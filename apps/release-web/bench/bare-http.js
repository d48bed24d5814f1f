// What Node can do here at most: the same bodies, no framework.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const bodies = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const buffers = Object.fromEntries(Object.entries(bodies).map(([url, body]) => [url, Buffer.from(body)]));
const server = createServer((request, response) => {
  const body = buffers[request.url];
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.on('SIGTERM', () => process.exit(0));
