// Preloaded into the command line: kills its own process, as kill -9 does, at one step of its work on the disk.
// KILL_AT counts the steps from 0; every call has a step before and one after it, a write one more in its middle.
import { promises } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const at = Number(process.env.KILL_AT);
let step = 0;

const point = () => {
  if (step === at) process.kill(process.pid, 'SIGKILL');
  step += 1;
};

const around =
  (call) =>
  async (...args) => {
    point();
    const result = await call(...args);
    point();
    return result;
  };

const { open } = promises;
const openForWriting = around(async (...args) => {
  const handle = await open(...args);
  const { writeFile, sync, close } = handle;
  handle.writeFile = around(async (text) => {
    await writeFile.call(handle, text.slice(0, text.length / 2));
    point();
    await writeFile.call(handle, text.slice(text.length / 2));
  });
  handle.sync = around(sync.bind(handle));
  handle.close = around(close.bind(handle));
  return handle;
});
// Reading changes nothing on the disk; data files are opened for it with flags that are a number.
promises.open = (...args) => (typeof args[1] === 'number' ? open(...args) : openForWriting(...args));
promises.rename = around(promises.rename);
promises.rm = around(promises.rm);
syncBuiltinESMExports();
process.on('exit', () => process.stderr.write(`steps: ${step}\n`));
