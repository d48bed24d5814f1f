import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkCatalogue, shapedCatalogue } from '@workspace/release-catalogue';
import { branchesOfTables, type PhpTables } from '@workspace/release-catalogue/testing';
import { storedSlots } from '@workspace/release-cli';

const PRODUCT = join(import.meta.dirname, '../data/product.json');

/** Makes a data folder of php.net's tables, which accepts what the rules find in them. @param folder is created */
export const importPhpNet = (tables: PhpTables, folder: string): void => {
  const qa = Object.fromEntries(storedSlots(tables.qa).map(({ version, ...slot }) => [version, slot]));
  const texts = new Map(
    branchesOfTables({ ...tables, qa }).map((file) => [`branches/${file.branch}.json`, JSON.stringify(file)]),
  )
    .set('product.json', readFileSync(PRODUCT, 'utf8'))
    .set('news.json', JSON.stringify({ updated: '2025-01-01T00:00:00Z', items: [] }))
    .set('accepted-findings.json', JSON.stringify({ accepted: [] }));
  const accepted = checkCatalogue(shapedCatalogue(texts))
    .filter(({ severity }) => severity === 'error')
    .map(({ rule, subject }) => ({ rule, reason: 'as php.net has it', subjects: [subject] }));
  texts.set('accepted-findings.json', JSON.stringify({ accepted }));
  mkdirSync(join(folder, 'branches'), { recursive: true });
  for (const [file, text] of texts) writeFileSync(join(folder, file), text);
};
