import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { missingTools, pythonProgram, userCacheFolder } from '@workspace/testing';
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
  /**
   * what finds a member that the description does not have, after the commands that prepare a copy
   * @returns the command that runs it, where it is another
   */
  readonly check?: (folder: string, run: (command: string) => Promise<void>) => Promise<string | void>;
}

const TSC =
  '../node_modules/.bin/tsc --noEmit --strict --noUncheckedIndexedAccess --ignoreConfig --allowImportingTsExtensions --skipLibCheck ' +
  '--typeRoots ../node_modules/@types --types node --target es2023 --lib es2023,dom,dom.iterable --module nodenext --moduleResolution nodenext';

export const LANGUAGES: readonly Language[] = [
  {
    name: 'typescript',
    file: 'submitter.ts',
    command: 'node submitter.ts',
    tools: [],
    check: (_, run) => run(`${TSC} submitter.ts`),
  },
  {
    name: 'python',
    file: 'submitter.py',
    command: 'python3 submitter.py',
    tools: ['python3'],
    check: async (_, run) => run(`${await pythonProgram('mypy', 'mypy')} submitter.py`),
  },
  {
    name: 'java',
    file: 'Submitter.java',
    command: "java -cp 'target/classes:target/dependency/*' Submitter",
    tools: ['java', 'mvn'],
  },
  {
    name: 'go',
    file: 'submitter.go',
    command: 'go run submitter.go openapi.go',
    tools: ['go'],
    check: (_, run) => run('go vet submitter.go openapi.go'),
  },
  {
    name: 'csharp',
    file: 'Submitter.cs',
    command: 'dotnet run',
    tools: ['python3', 'npm'],
    // dotnet is not installed where the tests run
    check: (folder) => compileCSharp(folder, join(folder, 'submitter.dll')),
  },
  {
    name: 'rust',
    file: 'submitter.rs',
    command: 'cargo run --quiet --',
    tools: ['cargo'],
    check: (_, run) => run('cargo build --quiet'),
  },
];

export const availableLanguages = (): Language[] =>
  LANGUAGES.filter(({ name, tools }) => {
    const missing = missingTools(...tools);
    if (name === 'csharp' && process.arch !== 'x64') missing.push('an x64 processor');
    if (missing.length > 0) console.warn(`submitter in ${name} skipped: it needs ${missing.join(', ')}`);
    return missing.length === 0;
  });

/** The commands before the one that runs a submitter, as the page of the examples shows them in the same block. */
export const shownPreparation = async ({ name, command }: Language): Promise<string> => {
  const page = await readFile(join(EXAMPLES, 'README.md'), 'utf8');
  const blocks = [...page.matchAll(/^```sh\n([^]*?)\n```$/gm)].map(([, block]) => block!.split('\n'));
  const run = `${command} http://localhost:3000 <submissions.tsv`;
  const [block, ...others] = blocks.filter((lines) => lines.at(-1) === run);
  if (!block || others.length > 0) throw new Error(`the page of the examples has no command for ${name}`);
  return block.slice(0, -1).join('\n');
};

/** What Cargo and Maven fetch and make is kept. */
export const submitterEnvironment = (): NodeJS.ProcessEnv => {
  const { FORCE_COLOR: _, TOKEN: __, ...env } = process.env;
  return {
    ...env,
    LC_ALL: 'C',
    CARGO_TARGET_DIR: join(userCacheFolder(), 'cargo-submitter'),
    MAVEN_OPTS: `-Dmaven.repo.local=${join(userCacheFolder(), 'maven')}`,
  };
};

/** Neither Maven's repository nor the cache of npx may be filled by two at once: the clients of the API use it, too. */
export const PREPARATION_LOCK = join(userCacheFolder(), 'maven.lock');
