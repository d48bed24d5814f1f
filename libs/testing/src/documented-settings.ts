import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TObject, TSchema } from '@sinclair/typebox';
import { readmeTable } from './readme-table.ts';
import { workspaceRoot } from './workspace.ts';

const COMMON = join(workspaceRoot, 'libs/service-kit/docs/settings.md');

const byName = (rows: readonly unknown[][]): unknown[][] =>
  rows.toSorted(([a], [b]) => String(a).localeCompare(String(b)));

/** The rows under the heading `Environment` of a page: of its only table, or of those of its sections. */
const environmentRows = (page: string): string[][] => {
  const [, section = ''] = readFileSync(page, 'utf8').split(/^## Environment$/m);
  const sections = [...section.split(/^## /m)[0]!.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading!);
  return (sections.length > 0 ? sections : ['Environment']).flatMap((heading) => readmeTable(page, heading));
};

/** The default of one service, from a cell such as `3000 ops-intake, 3001 release-web`. */
const defaultOf = (app: string, cell = ''): string => new RegExp(`(\\S+) ${app}\\b`).exec(cell)?.[1] ?? cell;

/**
 * Every row about a setting that the documentation of a service has, sorted by name: those of its own `docs/settings.md` and of the page
 * that all services share. A setting that both pages have is there twice.
 * @param common headings of the tables on the shared page that apply to this service
 */
export const documentedSettings = (app: string, common: readonly string[]): unknown[][] =>
  byName([
    ...environmentRows(join(workspaceRoot, 'apps', app, 'docs/settings.md')),
    ...common
      .flatMap((heading) => readmeTable(COMMON, heading))
      .map(([name, value, meaning]) => [name, defaultOf(app, value), meaning]),
  ]);

/** The rows that `documentedSettings` must have for a schema: name, default, description. */
export const settingsOf = (schema: TObject): unknown[][] =>
  byName(
    Object.entries<TSchema>(schema.properties).map(([name, property]) => [
      name,
      String(property['default'] ?? ''),
      property.description?.replaceAll('`', ''),
    ]),
  );
