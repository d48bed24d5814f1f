import type { AcceptedFindingsFile } from '../data/index.ts';
import { type DataTexts, shapedCatalogue } from '../adapters/catalogue-texts.ts';
import { dataFileText } from '../adapters/data-writer.ts';
import type { Finding } from '../domain/finding.ts';
import { checkCatalogue } from '../domain/rules/check-catalogue.ts';
import { importTables, type PhpTables } from './php-tables.ts';

const REASON = 'imported as php.net has it';

export interface ImportResult {
  /** the data files to be, by their path */
  readonly texts: DataTexts;
  readonly remarks: readonly string[];
  /** what the rules find: it stays on record and is accepted from now on, there and nowhere else */
  readonly findings: readonly Finding[];
}

/**
 * php.net's tables as the files of a data folder. Nothing is dropped or altered; what breaks a rule is accepted by name
 * and value, so that the same mistake in a later edit is an error.
 * @param common the folder's own product.json, news.json and accepted-findings.json
 */
export const importResult = (tables: PhpTables, common: DataTexts): ImportResult => {
  const { branches, remarks } = importTables(tables);
  const texts = new Map(common);
  for (const branch of branches) texts.set(`branches/${branch.branch}.json`, dataFileText(branch));
  const findings = checkCatalogue(shapedCatalogue(texts)).filter(({ severity }) => severity === 'error');
  const file = JSON.parse(texts.get('accepted-findings.json')!) as AcceptedFindingsFile;
  file.accepted.push(...acceptances(findings));
  return { texts: texts.set('accepted-findings.json', dataFileText(file)), remarks, findings };
};

const acceptances = (findings: readonly Finding[]): AcceptedFindingsFile['accepted'] =>
  [...new Set(findings.map(({ rule }) => rule))].map((rule) => ({
    rule,
    reason: REASON,
    subjects: [...new Set(findings.filter((found) => found.rule === rule).map(({ subject }) => subject))],
  }));
