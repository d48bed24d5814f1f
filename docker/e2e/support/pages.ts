import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { start } from './process.ts';
import { workspace } from './workspace.ts';

/** The pages for the night. */
export const PAGES = readdirSync('operations').filter((name) => name.endsWith('.md'));

/** The commands of a page, block by block. */
export const blocksOf = (page: string): string[] =>
  [...readFileSync(join('operations', page), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text]) =>
    String(text),
  );

export interface Following {
  /** where the proxy of the test listens, instead of 8080 */
  port: number;
  env: NodeJS.ProcessEnv;
}

/** Runs commands of a page in one shell, as an operator would; resolves with what was printed. */
export async function run(commands: readonly string[], { port, env }: Following): Promise<string> {
  const script = commands.join('\n').replaceAll('localhost:8080', `localhost:${port}`);
  const shell = start({
    command: 'sh',
    args: ['-euc', script],
    cwd: workspace,
    env: { ...env, NX_DAEMON: 'false' },
  });
  const { code } = await shell.ended;
  if (code !== 0) throw new Error(`ended with ${code}:\n${script}\n${shell.output()}`);
  return shell.output();
}
