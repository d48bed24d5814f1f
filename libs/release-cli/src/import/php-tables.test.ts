import { importTables, type PhpTables } from './php-tables.ts';

const file = (version: string) => ({
  filename: `php-${version}.tar.gz`,
  name: `PHP ${version}`,
  sha256: 'a'.repeat(64),
});

const tables = (): PhpTables => ({
  current: {
    '8': {
      '8.5.1': { announcement: true, tags: ['security'], date: '30 Jul 2026', source: [file('8.5.1')] },
    },
  },
  old: {
    '8': {
      '8.4.1': {
        announcement: { English: '/releases/8_4_1.php' },
        source: [file('8.4.1')],
        date: '2 Jul 2026',
        museum: false,
      },
      '8.5.0': { date: '01 June 2026', source: [file('8.5.0')], tags: [''] },
    },
  },
  overrides: { '8.4': { security: '2028-12-31' } },
  qa: {
    '8.5.2': {
      active: true,
      release: {
        type: 'RC',
        number: 1,
        sha256_gz: 'b',
        date: '13 August 2026',
        baseurl: 'x',
        version: '8.5.2RC1',
        files: {},
      },
      dev_version: '8.5.2-dev',
    },
    reported: ['8.5.2-dev'],
    releases: {},
  },
});

describe('importTables', () => {
  it('makes a file per branch and keeps order, wording and members of every release', () => {
    const { branches } = importTables(tables());
    expect(branches.map(({ branch }) => branch)).toEqual(['8.4', '8.5']);
    expect(JSON.stringify(branches[0]!.history)).toBe(
      JSON.stringify([
        {
          version: '8.4.1',
          date: '2026-07-02',
          kind: 'unrecorded',
          rank: 2,
          published: tables().old['8']!['8.4.1'],
        },
      ]),
    );
    expect(branches[1]).toMatchObject({
      updated: '2026-08-13T00:00:00Z',
      current: { version: '8.5.1', kind: 'security', rank: 1 },
      history: [{ version: '8.5.0', kind: 'bugfix', rank: 1, date: '2026-06-01' }],
    });
    expect(branches[0]!.overrides).toEqual({ security: '2028-12-31' });
  });

  it('leaves out what the pre-release endpoint computes', () => {
    const { branches } = importTables(tables());
    expect(branches[1]!.pre_releases).toEqual([
      {
        version: '8.5.2',
        active: true,
        release: { type: 'RC', number: 1, sha256_gz: 'b', date: '13 August 2026', baseurl: 'x' },
      },
    ]);
  });

  it('rejects an impossible date instead of shifting it', () => {
    const wrong = tables();
    wrong.old['8']!['8.5.0']!.date = '31 Nov 2026';
    expect(() => importTables(wrong)).toThrow('8.5.0: "31 Nov 2026" is not a date');
  });
});
