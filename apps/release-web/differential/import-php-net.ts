import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtFile, type PhpNet, runTool } from '@workspace/testing';

const OWN = join(import.meta.dirname, '../data');

/** Makes a data folder of php.net's tables with the built `release-data import`. @returns its path, in `folder` */
export const importPhpNet = async (phpNet: PhpNet, folder: string): Promise<string> => {
  const [tables, data] = [join(folder, 'tables'), join(folder, 'data')];
  [tables, data].forEach((name) => mkdirSync(name));
  for (const [name, text] of Object.entries(await phpNet.tables())) writeFileSync(join(tables, name), text);
  cpSync(join(OWN, 'product.json'), join(data, 'product.json'));
  writeFileSync(join(data, 'news.json'), JSON.stringify({ updated: '2025-01-01T00:00:00Z', items: [] }));
  writeFileSync(join(data, 'accepted-findings.json'), JSON.stringify({ accepted: [] }));
  const command = builtFile('release-web', 'release-data.js');
  await runTool(process.execPath, [command, 'import', tables, '--data', data, '--yes']);
  return data;
};
