// The images' HEALTHCHECK: does the service's event loop answer? Exit code 0 or 1, with the reason on stderr.
// Given a path of the management listener, it prints what is there: node healthcheck.js /metrics
const { MANAGEMENT_PORT, PORT } = process.env;
const path = process.argv[2];
// Without a management listener any answer of the public one, a 404 or a redirect too, shows that the loop turns.
const url = MANAGEMENT_PORT
  ? `http://127.0.0.1:${MANAGEMENT_PORT}${path ?? '/health/live'}`
  : `http://127.0.0.1:${PORT}/`;
try {
  const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(2500) });
  if (path) console.log(await answer.text());
  if (MANAGEMENT_PORT && !answer.ok) throw new Error(`status ${answer.status}`);
} catch (error) {
  console.error(`${url}: ${error.cause ?? error}`);
  process.exitCode = 1;
}
