import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pythonProgram, runTool, userCacheFolder } from '@workspace/testing';

// No registry that the gate reaches has the SDK of .NET. These packages carry the two parts of it that are needed.
const COMPILER = '@autorest/csharp@3.0.0-beta.20251203.1';
const COMPILER_SHA256 = 'd080d8f02bde85d4fda72758dc8072b5187e246319ba65c5c6eea518ff4621fc';

/** The folder of the compiler, fetched on first use. */
const compilerFolder = async (): Promise<string> => {
  const caches = userCacheFolder();
  const folder = join(caches, `csharp-compiler-${COMPILER_SHA256.slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  await mkdir(caches, { recursive: true });
  const made = await mkdtemp(join(caches, 'csharp-compiler-'));
  const name = await runTool('npm', ['pack', COMPILER, '--silent', '--pack-destination', made]);
  const file = join(made, name.trim());
  const digest = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  if (digest !== COMPILER_SHA256) throw new Error(`${COMPILER} has the digest ${digest}`);
  await runTool('tar', ['-xzf', file, '-C', made, '--strip-components=1', '--wildcards', '*/*.dll']);
  await rm(file);
  // Where another run was faster, its folder is as good.
  await rename(made, folder).catch(() => rm(made, { recursive: true }));
  return folder;
};

/**
 * Compiles the C# program in a folder against .NET 8; warnings are errors.
 * @returns the command that runs it
 */
export const compileCSharp = async (sources: string, target: string): Promise<string> => {
  const [python, compiler] = await Promise.all([pythonProgram('python', 'dotnet-runtime'), compilerFolder()]);
  const script = join(import.meta.dirname, 'compile_csharp.py');
  return `${(await runTool(python, [script, compiler, sources, target])).trim()} ${target}`;
};
