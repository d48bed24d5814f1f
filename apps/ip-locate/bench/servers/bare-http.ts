// The floor: Node's own HTTP server and a constant.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { record } from './record.ts';

const server = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(record));
});
server.listen(0, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
