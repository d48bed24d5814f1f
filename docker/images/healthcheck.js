// The images' HEALTHCHECK: does the service's event loop answer? Exit code 0 or 1, with the reason on stderr.
const { MANAGEMENT_PORT, PORT } = process.env;
// Without a management listener any answer of the public one, a 404 too, shows that the loop turns.
const url = MANAGEMENT_PORT ? `http://127.0.0.1:${MANAGEMENT_PORT}/live` : `http://127.0.0.1:${PORT}/`;
try {
  const { status } = await fetch(url, { signal: AbortSignal.timeout(2500) });
  if (MANAGEMENT_PORT && status !== 200) throw new Error(`status ${status}`);
} catch (error) {
  console.error(`${url}: ${error.cause ?? error}`);
  process.exitCode = 1;
}
