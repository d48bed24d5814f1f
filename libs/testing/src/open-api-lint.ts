import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runTool } from './tools.ts';
import { cacheFolder, workspaceProgram } from './workspace.ts';

/**
 * Checks the OpenAPI document of a running service with the recommended rules of Redocly and of Spectral.
 * @throws with what they say when one of them finds an error; warnings do not count
 */
export const lintOpenApi = async (serviceUrl: string): Promise<void> => {
  const folder = await mkdtemp(join(cacheFolder(), 'open-api-'));
  try {
    const document = join(folder, 'openapi.json');
    await writeFile(document, await (await fetch(`${serviceUrl}/openapi.json`)).text());
    const rules = join(folder, 'spectral.json');
    await writeFile(rules, JSON.stringify({ extends: ['spectral:oas'] }));
    const quiet = ['REDOCLY_TELEMETRY=off', 'REDOCLY_SUPPRESS_UPDATE_NOTICE=true'];
    await runTool('env', [
      ...quiet,
      workspaceProgram('redocly'),
      'lint',
      '--extends=recommended',
      '--format=stylish',
      document,
    ]);
    await runTool(workspaceProgram('spectral'), [
      'lint',
      '--ruleset',
      rules,
      '--fail-severity=error',
      document,
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
};
