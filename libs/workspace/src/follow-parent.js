// Preloaded (`node --import`) into a service that `npm start` runs. Its stdin is a pipe from the starter: when that ends,
// however it ended (kill -9 included), the service gets SIGTERM, as from an operator, and nothing is left behind.
process.stdin.resume().on('end', () => process.kill(process.pid, 'SIGTERM'));
// The pipe alone must not keep a finished service alive.
process.stdin.unref?.();
