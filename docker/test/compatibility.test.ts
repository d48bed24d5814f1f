import { APPS, documents, filesIn, read } from './files.ts';
import { currentInterface, incompatibilities, type Interface } from './interface.ts';

const versionOf = (file: string): string => /(\d+\.\d+\.\d+)\.json$/.exec(file)?.[1] ?? '';
/** The newest release on record. */
const RELEASE = filesIn('docker/release/interfaces', '.json')
  .map(versionOf)
  .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  .at(-1) as string;
const recorded = JSON.parse(read(`docker/release/interfaces/${RELEASE}.json`)) as Interface;

/** The sections of the changelog, newest first, by their version. */
const sections = Object.fromEntries(
  read('CHANGELOG.md')
    .split(/^## /m)
    .slice(1)
    .map((section) => [/^\[(.+?)\]/.exec(section)?.[1] ?? '', section]),
);
/** The part of a section about what is not compatible. */
const notCompatible = (version: string): string =>
  /^### Not compatible\n([\s\S]*?)(?=^### |(?![\s\S]))/m.exec(sections[version] ?? '')?.[1]?.trim() ?? '';

const edited = (change: (now: Interface) => void): Interface => {
  const copy = structuredClone(recorded);
  change(copy);
  return copy;
};

describe('the changelog', () => {
  it('names everything that the release on record had and is gone or different', () => {
    const named = notCompatible('Unreleased');
    expect(
      incompatibilities(recorded, currentInterface())
        .filter(({ name }) => !named.includes(`\`${name}\``))
        .map(({ what }) => what),
    ).toEqual([]);
  });

  it('says for each version what is not compatible', () => {
    for (const version of Object.keys(sections)) expect([version, notCompatible(version)]).not.toContain('');
  });

  it('tells the release on record in at most 500 words', () => {
    const words = (sections[RELEASE] ?? '').split(/\s+/).filter(Boolean);
    expect(words.length).toBeGreaterThan(20);
    expect(words.length).toBeLessThanOrEqual(500);
  });
});

describe('the comparison', () => {
  it.each<[string, (now: Interface) => void, string]>([
    [
      'a setting that is gone',
      (now) => delete now.settings['ops-intake']?.['BODY_LIMIT_BYTES'],
      'settings of ops-intake: BODY_LIMIT_BYTES is gone',
    ],
    [
      'another default',
      (now) => Object.assign(now.settings['docker'] ?? {}, { HTTP_PORT: '`80`' }),
      'settings of docker: HTTP_PORT is `80` and was `8080`',
    ],
    [
      'a path that is gone',
      (now) => delete now.paths['ops-intake']?.['POST /operations'],
      'paths of ops-intake: POST /operations is gone',
    ],
    [
      'another status',
      (now) => Object.assign(now.problems['ip-locate'] ?? {}, { 'reserved-address': '422' }),
      'problems of ip-locate: reserved-address is 422 and was 400',
    ],
    [
      'another type of record',
      (now) => Object.assign(now.records['ops-intake'] ?? {}, { ce_type: 'operations.submitted.v2' }),
      'records of ops-intake: ce_type is operations.submitted.v2 and was operations.submitted.v1',
    ],
  ])('finds %s', (_change, change, what) => {
    expect(incompatibilities(recorded, edited(change)).map((found) => found.what)).toEqual([what]);
  });

  it('finds nothing in what was added', () => {
    const now = edited(({ settings }) => Object.assign(settings['docker'] ?? {}, { NEW: '' }));
    expect(incompatibilities(recorded, now)).toEqual([]);
  });
});

describe('the version of the release', () => {
  const [chart] = documents('docker/helm/three-services/Chart.yaml') as [{ appVersion: string }];

  it('of each service is not older than the record', () => {
    for (const app of APPS) {
      const { version } = JSON.parse(read(`apps/${app}/package.json`)) as { version: string };
      expect(version.localeCompare(RELEASE, 'en', { numeric: true })).toBeGreaterThanOrEqual(0);
    }
  });

  it('is the one whose images the chart runs', () => {
    const values = documents('docker/helm/three-services/values.yaml')[0] as Record<
      string,
      { image: { tag: string } }
    >;
    for (const app of APPS) expect(values[app]?.image.tag).toBe(chart.appVersion);
    expect(sections[chart.appVersion]).toBeDefined();
  });
});
