// A process that starts a broker and never ends it: for the tests of what happens when it dies.
import { startBroker } from '../src/index.ts';

const { pid, folder, port } = await startBroker();
console.log(JSON.stringify({ pid, folder, port }));
setInterval(() => undefined, 60_000);
