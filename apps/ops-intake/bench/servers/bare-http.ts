import { createServer } from 'node:http';
import { ready } from './ready.ts';

// The ceiling of Node itself: reads the body, answers 202.
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(202, { 'content-type': 'application/json' }).end('{"message":"accepted"}');
  });
});
server.listen(0, '127.0.0.1', () => ready(server));
