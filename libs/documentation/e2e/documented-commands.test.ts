import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@workspace/testing';
import { parse } from 'yaml';

const read = (file: string): string => readFileSync(join(workspaceRoot, file), 'utf8');
/** `npx node` stands for `node` in other commands. */
const isCommand = (text: string): boolean => /^(cd \S+ && )?(npm|npx) \S/.test(text) && text !== 'npx node';

/** Commands in code blocks and in inline code. */
const commandsOfPage = (text: string): string[] => {
  const [blocks, inline] = [/^```.*\n([\s\S]*?)^```/gm, /`([^`\n]+)`/g];
  return [
    ...[...text.matchAll(blocks)].flatMap(([, block]) =>
      block!.split('\n').map((line) => line.replace(/^\$ /, '')),
    ),
    ...[...text.replaceAll(blocks, '').matchAll(inline)].map(([, code]) => code!),
  ].filter(isCommand);
};

interface Workflow {
  jobs: Record<string, { steps?: { run?: string }[]; strategy?: { matrix?: { command?: string[] } } }>;
}
const commandsOfWorkflow = (text: string): string[] =>
  Object.values((parse(text) as Workflow).jobs).flatMap(({ steps = [], strategy }) => [
    ...steps.flatMap(({ run = '' }) => run.split('\n').map((line) => line.trim())).filter(isCommand),
    ...(strategy?.matrix?.command ?? []).map((command) => `npx ${command}`),
  ]);

/** Searches that take hours, for which the gate has short forms. */
const NIGHTLY = ['nightly.yml', 'mutation.yml'].map((name) => `.github/workflows/${name}`);
const pages = ['README.md', ...globSync('.github/*.md', { cwd: workspaceRoot })];
const workflows = globSync('.github/workflows/*.yml', { cwd: workspaceRoot });
const documented = new Set([
  ...pages.flatMap((file) => commandsOfPage(read(file))),
  ...workflows.filter((file) => !NIGHTLY.includes(file)).flatMap((file) => commandsOfWorkflow(read(file))),
]);

const gate = read('.ci/run');
const [, block] = /<<'COMMANDS'\n([\s\S]*?)^COMMANDS$/m.exec(read('.ci/documented-commands'))!;
const run = block!.split('\n').filter(Boolean);

/** Documented commands that the gate runs in another place: a file, and what in it does so. */
const ELSEWHERE: Readonly<Record<string, readonly [file: string, text: string]>> = {
  'npm start': ['libs/workspace/e2e/start.test.ts', "= ['npm', 'start']"],
  'npx nx serve ip-locate': ['libs/workspace/e2e/serve.test.ts', "describe.each(['ip-locate'"],
  'npx nx serve kafka-broker': [
    'libs/kafka-broker/e2e/left-behind.test.ts',
    'when nx serve kafka-broker gets Ctrl-C',
  ],
  'npm run test:all': ['package.json', '"test:all": ".ci/run --tests"'],
  // It runs for all projects there, docker's under the engine of the tests.
  'npx nx affected -t e2e --parallel=1 --exclude=docker': ['.ci/run', '-t e2e --exclude=docker,ops-intake'],
};

/** Documented commands that the gate does not run, and why. */
const NOT_IN_THE_GATE: Readonly<Record<string, string>> = {
  'npx quicktype -s schema openapi.json#/components/schemas/ -o OpenApi.cs --framework SystemTextJson --check-required':
    'needs .NET for what follows',
  'npx nx audit workspace': 'asks the registry for advisories, which are not part of a commit',
};

/** `npm ci && npm test` are two commands; the folder of `cd x && npx jest y` is part of one. */
const partsOf = (command: string): string[] =>
  command.startsWith('cd ') ? [command] : command.split(' && ');
const isInGate = (command: string): boolean =>
  run.includes(command) || gate.split('\n').some((line) => line.includes(`' ${command}`));
const isKnown = (command: string): boolean =>
  isInGate(command) || command in ELSEWHERE || command in NOT_IN_THE_GATE;

describe('the commands of README, CONTRIBUTING and the workflows', () => {
  it('are found', () => {
    expect([...documented]).toEqual(
      expect.arrayContaining(['npm test', 'npx nx affected -t lint typecheck test build']),
    );
  });

  it('run in the gate as they are written, or are listed with the reason', () => {
    expect([...documented].flatMap(partsOf).filter((command) => !isKnown(command))).toEqual([]);
  });

  it.each(Object.entries(ELSEWHERE))('%s is run where the list says', (_command, [file, text]) => {
    expect(read(file)).toContain(text);
  });

  it('are all in use: no list has a command that is documented no more', () => {
    const listed = [...run, ...Object.keys(ELSEWHERE), ...Object.keys(NOT_IN_THE_GATE)];
    const all = [...documented].flatMap(partsOf);
    expect(listed.filter((command) => !all.includes(command))).toEqual([]);
  });
});
