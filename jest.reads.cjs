// Writes down every file of the workspace that tests read, or name to a program that they run, a line each in
// reports/reads/<project>. libs/workspace/e2e/inputs.test.ts compares them with the inputs that Nx knows.
const fs = require('node:fs');
const childProcess = require('node:child_process');
const { isAbsolute, join, relative, resolve } = require('node:path');
const { fileURLToPath } = require('node:url');

const root = __dirname;
const key = Symbol.for('files read by tests');
// Core modules are the same in all test files of a process.
fs[key] ??= new Set();
const known = fs[key];
const folder = join(root, 'reports/reads');
const { appendFileSync, statSync } = fs;

const note = (path, cwd = process.cwd()) => {
  if (!(typeof path === 'string' || path instanceof URL)) return;
  const name = relative(root, resolve(String(cwd), path instanceof URL ? fileURLToPath(path) : path));
  if (known.has(name)) return;
  known.add(name);
  if (
    name.startsWith('..') ||
    isAbsolute(name) ||
    /(^|\/)(node_modules|dist|reports|tmp|\.nx|\.cache)\//.test(name)
  )
    return;
  if (statSync(join(root, name), { throwIfNoEntry: false })?.isFile()) {
    appendFileSync(join(folder, globalThis.project), `${name}\n`);
  }
};
const watch = (object, names, noteCall) => {
  for (const name of names) {
    const original = object[name];
    if (original[key]) continue;
    const watched = function (...words) {
      noteCall(words);
      return Reflect.apply(original, this, words);
    };
    Object.defineProperties(watched, Object.getOwnPropertyDescriptors(original));
    watched[key] = true;
    object[name] = watched;
  }
};
watch(fs, ['readFileSync', 'readFile', 'createReadStream', 'openSync', 'cpSync', 'copyFileSync'], ([path]) =>
  note(path),
);
watch(fs.promises, ['readFile', 'open', 'cp', 'copyFile'], ([path]) => note(path));
watch(childProcess, ['spawn', 'spawnSync', 'execFile', 'execFileSync'], ([command, words, options]) => {
  for (const word of [command, ...(Array.isArray(words) ? words : [])]) {
    // A program in an argument is longer than a path may be.
    if (/[/.]/.test(word) && word.length < 4_096 && !/[\n\0]/.test(word)) note(word, options?.cwd);
  }
});
