// node supervisor.js [folder]
//
// Runs between the process that starts a broker and the broker. Its stdin is a pipe from the starter: when the starter ends,
// however it ends (kill -9 included), the pipe reaches its end, and the supervisor kills what it started and removes
// the folder. Nothing else can keep the promise that no broker and no data folder is left behind.
//
// Plain JavaScript, so that any Node runs it without a loader.
// In:  {"id":1,"command":["java",…],"log":"/file"}   per line
// Out: {"id":1,"pid":123} and later {"id":1,"exit":{"code":0,"signal":null}}, or {"id":1,"error":"…"}
import { spawn } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

const folder = process.argv[2];

const running = new Map();
let ending = false;

const report = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
// The starter may be gone when something is reported: its end is handled below, where stdin closes.
process.stdout.on('error', () => undefined);
// Ctrl-C belongs to the starter.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);

function start({ id, command: [program, ...args], log }) {
  const output = openSync(log, 'a');
  const child = spawn(program, args, { stdio: ['ignore', output, output] });
  closeSync(output);
  child.on('spawn', () => report({ id, pid: child.pid }));
  child.on('error', (error) => report({ id, error: error.message }));
  child.on('exit', (code, signal) => {
    running.delete(id);
    report({ id, exit: { code, signal } });
    if (ending) endIfAlone();
  });
  if (child.pid !== undefined) running.set(id, child);
}

function endIfAlone() {
  if (running.size > 0) return;
  if (folder) rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}

createInterface({ input: process.stdin })
  .on('line', (line) => start(JSON.parse(line)))
  .on('close', () => {
    ending = true;
    for (const child of running.values()) child.kill('SIGKILL');
    endIfAlone();
  });
