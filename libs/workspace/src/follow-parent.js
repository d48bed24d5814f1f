// Preloaded (`node --import`) into a service that `npm start` runs. Its stdin is a pipe from the starter: when that ends,
// however it ended (kill -9 included), the service is told to stop as an operator would tell it, and nothing is left behind.
process.stdin.resume().on('end', () => process.kill(process.pid, 'SIGTERM'));
// The pipe alone must not keep a finished service alive.
process.stdin.unref?.();
