import { globSync } from 'node:fs';
import { workspaceRoot } from '@workspace/testing';
import { APPS, read } from './files.ts';

const SETTINGS = {
  'all services': 'libs/service-kit/docs/settings.md',
  'release-web': 'apps/release-web/docs/settings.md',
  'ops-intake': 'apps/ops-intake/docs/settings.md',
  'ip-locate': 'apps/ip-locate/docs/settings.md',
  docker: 'docker/runbooks/settings.md',
} as const;

/** What one kind of thing is, by name: the default of a setting, the status of a problem. */
type Named = Record<string, string>;

/**
 * What users of a release depend on, as its documents name it; other tests hold these documents to the code. A record of each
 * release is in docker/release/interfaces, made by docker/release/record-interface.ts.
 */
export interface Interface {
  /** defaults by name, by service */
  readonly settings: Record<string, Named>;
  /** documented paths, by service */
  readonly paths: Record<string, Named>;
  /** statuses by code, by service */
  readonly problems: Record<string, Named>;
  /** headers of a record in Kafka: the value of those that have only one, else `required` or `optional` */
  readonly records: Record<string, Named>;
}

/** The cells of the rows of all tables, and of items of lists that begin with a name: the name and what follows the colon. */
const rows = (text: string): string[][] =>
  text
    .split('\n')
    .map((line) =>
      line
        .replace(/^- (`[A-Z][A-Z0-9_]*`|`[a-z-]+`(?= \(\d{3}\)))(?: \((.*?)\))?: .*/, '| $1 | $2 |')
        .replace(/^- (`[^:]*`): /, '| $1 | ')
        .replace(/^- (`.*`)$/, '| $1 |'),
    )
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
const names = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => String(name));
const sorted = (entries: [string, string][]): Named => {
  if (entries.length === 0) throw new Error('the tables of the documents have another form');
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
};
const byKey = (keys: readonly string[], named: (key: string) => Named): Record<string, Named> =>
  Object.fromEntries(keys.map((key) => [key, named(key)]));

/** The `ce_type` of records without a schema of one's own. */
const builtInType = (): string => {
  const [, type] =
    /BUILT_IN_TYPE = '([^']+)'/.exec(read('apps/ops-intake/src/application/submission-record.ts')) ?? [];
  if (type === undefined) throw new Error('submission-record.ts has another form');
  return type;
};

/** The pages of a service's options: each has its settings and problems. */
const pagesOfOptions = (service: string): string[] =>
  globSync(`apps/${service}/src/features/*/README.md`, { cwd: workspaceRoot });

/** @throws when a document has no table of the expected form */
export const currentInterface = (): Interface => ({
  settings: byKey(Object.keys(SETTINGS), (service) =>
    sorted(
      [SETTINGS[service as keyof typeof SETTINGS], ...pagesOfOptions(service)]
        .flatMap((page) => rows(read(page)))
        .flatMap(([name = '', value = '']) =>
          names(name)
            .filter((one) => /^[A-Z][A-Z0-9_]+$/.test(one))
            .map((one): [string, string] => [one, value]),
        ),
    ),
  ),
  paths: byKey(APPS, (service) =>
    sorted(
      rows(read(`apps/${service}/README.md`)).flatMap(([cell = '']) =>
        names(cell)
          .filter((name) => /^([A-Z]+ )?\//.test(name))
          .map((name): [string, string] => [name, '']),
      ),
    ),
  ),
  problems: byKey(APPS, (service) =>
    sorted(
      // In one of them the status comes first.
      [`apps/${service}/docs/errors.md`, ...pagesOfOptions(service)]
        .flatMap((page) => rows(read(page)))
        .flatMap(([first = '', second = '']) => {
          const status = [first, second].find((cell) => /^\d{3}$/.test(cell));
          return status === undefined
            ? []
            : names(first + second).map((name): [string, string] => [name, status]);
        }),
    ),
  ),
  records: {
    'ops-intake': sorted(
      [
        ...read('apps/ops-intake/src/http/contract/record-headers.ts').matchAll(
          /^ {4}'?([a-z][\w-]*)'?: Type\.(Optional|Literal\('([^']*)'|)/gm,
        ),
      ].map(([, name, kind, literal]): [string, string] => [
        String(name),
        name === 'ce_type' ? builtInType() : (literal ?? (kind === 'Optional' ? 'optional' : 'required')),
      ]),
    ),
  },
});

/** What a release had and the interface has not, or has with another meaning: a line for each, which names it. */
export const incompatibilities = (before: Interface, now: Interface): { name: string; what: string }[] =>
  (Object.keys(before) as (keyof Interface)[]).flatMap((kind) =>
    Object.entries(before[kind]).flatMap(([service, named]) =>
      Object.entries(named).flatMap(([name, value]) => {
        const found = now[kind][service]?.[name];
        if (found === value) return [];
        const change = found === undefined ? 'is gone' : `is ${found || 'empty'} and was ${value || 'empty'}`;
        return [{ name, what: `${kind} of ${service}: ${name} ${change}` }];
      }),
    ),
  );
