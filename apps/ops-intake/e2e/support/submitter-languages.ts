import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { missingTools, runTool, workspaceRoot } from '@workspace/testing';
import { compileCSharp } from './csharp.ts';

const EXAMPLES = join(import.meta.dirname, '../../examples');
export const SUBMITTERS = join(EXAMPLES, 'submitters');

/** How one language runs its example. */
export interface Language {
  readonly name: string;
  readonly file: string;
  /** what runs it, before its arguments */
  readonly command: string;
  readonly tools: readonly string[];
  /** what follows the commands that prepare a copy; @returns the command that runs it, where it is another */
  readonly prepare?: (folder: string) => Promise<string | undefined>;
}

const TSC =
  '--noEmit --strict --noUncheckedIndexedAccess --ignoreConfig --allowImportingTsExtensions --skipLibCheck --types node ' +
  '--target es2023 --lib es2023,dom,dom.iterable --module nodenext --moduleResolution nodenext';

export const LANGUAGES: readonly Language[] = [
  {
    name: 'typescript',
    file: 'submitter.ts',
    command: 'node submitter.ts',
    tools: [],
    prepare: async (folder) => {
      const roots = ['--typeRoots', join(workspaceRoot, 'node_modules/@types')];
      const tsc = join(workspaceRoot, 'node_modules/.bin/tsc');
      await runTool(tsc, [...TSC.split(' '), ...roots, join(folder, 'submitter.ts')]);
      return undefined;
    },
  },
  { name: 'python', file: 'submitter.py', command: 'python3 submitter.py', tools: ['python3'] },
  { name: 'java', file: 'Submitter.java', command: 'java Submitter.java', tools: ['java'] },
  { name: 'go', file: 'submitter.go', command: 'go run submitter.go', tools: ['go'] },
  {
    name: 'csharp',
    file: 'Submitter.cs',
    command: 'dotnet run',
    tools: ['python3', 'npm'],
    // dotnet is not installed where the tests run
    prepare: (folder) => compileCSharp(join(folder, 'Submitter.cs'), join(folder, 'submitter.dll')),
  },
  { name: 'rust', file: 'submitter.rs', command: 'cargo run --quiet --', tools: ['cargo'] },
];

export const availableLanguages = (): Language[] =>
  LANGUAGES.filter(({ name, tools }) => {
    const missing = missingTools(...tools);
    if (name === 'csharp' && process.arch !== 'x64') missing.push('an x64 processor');
    if (missing.length > 0) console.warn(`submitter in ${name} skipped: it needs ${missing.join(', ')}`);
    return missing.length === 0;
  });

/** The commands before the one that runs a submitter, as the page of the examples shows them in the same block. */
export const shownPreparation = async ({ name, command }: Language): Promise<string[]> => {
  const page = await readFile(join(EXAMPLES, 'README.md'), 'utf8');
  const blocks = [...page.matchAll(/^```sh\n([^]*?)\n```$/gm)].map(([, block]) => block!.split('\n'));
  const run = `${command} http://localhost:3000 <submissions.tsv`;
  const [block, ...others] = blocks.filter((lines) => lines.at(-1) === run);
  if (!block || others.length > 0) throw new Error(`the page of the examples has no command for ${name}`);
  return block.slice(0, -1);
};

/** Cargo's output is kept. */
export const submitterEnvironment = (): NodeJS.ProcessEnv => {
  const caches = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'three-services');
  const { FORCE_COLOR: _, TOKEN: __, ...env } = process.env;
  return {
    ...env,
    LC_ALL: 'C',
    CARGO_TARGET_DIR: join(caches, 'cargo-submitter'),
  };
};
