// The images' HEALTHCHECK: does the service's event loop answer? Exit code 0 or 1, with the reason on stderr.
// Given a path of the management listener, it prints what is there: node healthcheck.js /metrics
import { get } from 'node:http';

const { MANAGEMENT_PORT, PORT } = process.env;
const path = process.argv[2];
// Without a management listener any answer of the public one, a 404 or a redirect too, shows that the loop turns.
const url = MANAGEMENT_PORT
  ? `http://127.0.0.1:${MANAGEMENT_PORT}${path ?? '/health/live'}`
  : `http://127.0.0.1:${PORT}/`;
const signal = AbortSignal.timeout(2500);
try {
  // Not fetch, which ends the process when a stopping service closes the connection.
  const answer = await new Promise((resolve, reject) => get(url, { signal }, resolve).on('error', reject));
  if (path) for await (const chunk of answer.setEncoding('utf8')) process.stdout.write(chunk);
  answer.destroy();
  if (MANAGEMENT_PORT && answer.statusCode >= 300) throw new Error(`status ${answer.statusCode}`);
} catch (error) {
  console.error(`${url}: ${error}`);
  process.exitCode = 1;
}
