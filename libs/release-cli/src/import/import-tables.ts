import {
  type AcceptedFindingsFile,
  checkCatalogue,
  dataFileText,
  type DataTexts,
  type Violation,
  shapedCatalogue,
} from '@workspace/release-catalogue';
import { importTables, type PhpTables } from './php-tables.ts';

const REASON = 'imported as php.net has it';

export interface ImportResult {
  /** the data files to be, by their path */
  readonly texts: DataTexts;
  readonly remarks: readonly string[];
  /** what the rules find: it stays on record and is accepted from now on, there and nowhere else */
  readonly violations: readonly Violation[];
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
  const violations = checkCatalogue(shapedCatalogue(texts)).filter(({ severity }) => severity === 'error');
  const file = JSON.parse(texts.get('accepted-findings.json')!) as AcceptedFindingsFile;
  file.accepted.push(...acceptances(violations));
  return { texts: texts.set('accepted-findings.json', dataFileText(file)), remarks, violations };
};

const acceptances = (violations: readonly Violation[]): AcceptedFindingsFile['accepted'] =>
  [...new Set(violations.map(({ rule }) => rule))].map((rule) => ({
    rule,
    reason: REASON,
    subjects: [...new Set(violations.filter((found) => found.rule === rule).map(({ subject }) => subject))],
  }));
