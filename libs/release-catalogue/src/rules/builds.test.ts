import { edited, type EditedData, itFinds, NOW, type RuleRow } from '../testing/edited-catalogue.ts';
import { buildAhead, buildFolder, buildHashes, buildNumber } from './builds.ts';
import type { Rule } from './rule.ts';

const SLOT = 'branches/8.4.json#/pre_releases/0';

const folders: [title: string, folder: string][] = [
  ['no slash at the end, as 8.0.8RC1', 'https://downloads.php.net/~calvinb'],
  ['no tilde, as 8.4.23RC1, which broke docker images for six days', 'https://downloads.php.net/calvinb/'],
  ['the folder of another person, as 8.3.27RC1', 'https://downloads.php.net/~daniels/'],
  ['no folder', ''],
];

const takenOver = (data: EditedData, folder: string): void => {
  data.build('8.4.25').release.baseurl = folder;
  data.branch('8.4').audit.push({ at: '2026-08-13T18:00:00Z', action: 'import', version: '8.4.25RC1' });
};

describe('rules about builds', () => {
  itFinds(buildFolder, [
    ...folders.map(([title, folder]): RuleRow => [
      title,
      (data) => (data.build('8.4.25').release.baseurl = folder),
      `error build-folder ${SLOT}/release/baseurl 8.4.25RC1 ${folder}`,
    ]),
    [
      'a second manager of the branch is fine',
      (data) => {
        data.catalogue.product.downloads.managers['8.4'] = ['calvinb', 'daniels'];
        data.build('8.4.25').release.baseurl = 'https://downloads.php.net/~daniels/';
      },
    ],
    ...[...folders.slice(0, 2), folders[3]!].map(([title, folder]): RuleRow => [
      `${title}, though taken over from another site`,
      (data) => takenOver(data, folder),
      `error build-folder ${SLOT}/release/baseurl 8.4.25RC1 ${folder}`,
    ]),
    [
      'a manager that only the site knows from which the build was taken over',
      (data) => takenOver(data, 'https://downloads.php.net/~newcomer/'),
      `warning build-folder ${SLOT}/release/baseurl 8.4.25RC1 https://downloads.php.net/~newcomer/`,
    ],
    ...['~Newcomer/', '~newcomer/x/', '~newcomer', '~/', '~new comer/'].map((folder): RuleRow => [
      `${folder}, which no manager has, though taken over`,
      (data) => takenOver(data, `https://downloads.php.net/${folder}`),
      `error build-folder ${SLOT}/release/baseurl 8.4.25RC1 https://downloads.php.net/${folder}`,
    ]),
    [
      'a branch without a manager, and a manager with all letters that names have',
      (data) => {
        delete data.catalogue.product.downloads.managers['8.5'];
        takenOver(data, 'https://downloads.php.net/~a-z_09/');
      },
      [
        `warning build-folder ${SLOT}/release/baseurl 8.4.25RC1 https://downloads.php.net/~a-z_09/`,
        'error build-folder branches/8.5.json#/pre_releases/0/release/baseurl 8.5.10RC1 https://downloads.php.net/~daniels/',
      ],
    ],
    [
      'a folder that is not there',
      (data) => delete data.build('8.4.25').release.baseurl,
      `error build-folder ${SLOT}/release/baseurl 8.4.25RC1 `,
    ],
    ['a slot without a build needs no folder', (data) => (data.build('8.2.27').release.baseurl = 'x')],
  ]);
  itFinds(buildNumber, [
    [
      'RC3 after RC1',
      (data) => data.addBuild('8.4.25RC3'),
      `error build-number ${SLOT}/release/number 8.4.25RC3`,
    ],
    [
      'back from RC1 to beta2',
      (data) => data.addBuild('8.4.25beta2'),
      `error build-number ${SLOT}/release/number 8.4.25beta2`,
    ],
    ['RC3 after RC1 with a reason is fine', (data) => data.addBuild('8.4.25RC3', 'RC2 was never packaged')],
    ['RC2 after RC1', (data) => data.addBuild('8.4.25RC2')],
    ['RC1 after beta1', (data) => data.addBuild('8.6.0RC1')],
    [
      'builds of 8.4.250 do not count for 8.4.25, and RC0 is no build',
      (data) => {
        data.branch('8.4').retired_builds = ['8.4.250RC7', '8.4.25RC0'].map((version) => ({
          version,
          sha256: [],
        }));
      },
    ],
    ...(
      [
        ['RC', 1, 'RC1', true],
        ['RC', 10, 'RC9', false],
        ['RC', 9, 'RC10', true],
        ['RC', 1, 'beta3', false],
        ['beta', 1, 'alpha3', false],
        ['alpha', 1, 'beta1', true],
        ['beta', 2, 'alpha1', true],
        ['beta', 2, 'beta1', false],
      ] as const
    ).map(([type, number, retired, isWrong]): RuleRow => [
      `${type}${number} after ${retired} ${isWrong ? 'is wrong' : 'is fine'}`,
      (data) => {
        Object.assign(data.build('8.4.25').release, { type, number });
        data.branch('8.4').retired_builds = [{ version: `8.4.25${retired}`, sha256: [] }];
      },
      isWrong ? [`error build-number ${SLOT}/release/number 8.4.25${type}${number}`] : [],
    ]),
    [
      'a reason for another build, and an entry without one, explain no gap',
      (data) => {
        data.addBuild('8.4.25RC3');
        const at = '2026-08-27T09:00:00Z';
        data.branch('8.4').audit.push({ at, action: 'correct', version: '8.4.25RC2', reason: 'x' });
      },
      `error build-number ${SLOT}/release/number 8.4.25RC3`,
    ],
  ]);
  itFinds(buildHashes, [
    [
      'an empty digest, which was served',
      (data) => (data.build('8.4.25').release.sha256_xz = ''),
      `error build-hashes ${SLOT}/release/sha256_xz 8.4.25RC1 xz`,
    ],
    [
      'no digest',
      (data) => delete data.build('8.4.25').release.sha256_gz,
      `error build-hashes ${SLOT}/release/sha256_gz 8.4.25RC1 gz`,
    ],
    [
      'a build that is not active may lack them',
      (data) => {
        data.build('8.4.25').active = false;
        data.build('8.4.25').release.sha256_xz = '';
      },
    ],
    [
      'a slot whose build is still to come has no digests',
      (data) => {
        Object.assign(data.build('8.4.25').release, { number: 0, sha256_gz: '' });
      },
    ],
  ]);
  itFinds(buildAhead, [
    [
      'a candidate that stayed after its release',
      (data) => (data.release('8.4.24').version = '8.4.25'),
      `error build-ahead ${SLOT}/version 8.4.25-dev`,
    ],
    [
      'two slots of one version',
      (data) => data.branch('8.4').pre_releases.push(structuredClone(data.build('8.4.25'))),
      [
        'error build-ahead branches/8.4.json#/pre_releases/0/version 8.4.25',
        'error build-ahead branches/8.4.json#/pre_releases/1/version 8.4.25',
      ],
    ],
    [
      'slots of two versions',
      (data) =>
        data
          .branch('8.4')
          .pre_releases.push({ version: '8.4.26', active: true, release: { type: 'RC', number: 0 } }),
    ],
    [
      'a slot that is switched off may lie behind',
      (data) => {
        data.release('8.4.24').version = '8.4.25';
        data.build('8.4.25').active = false;
      },
    ],
    [
      'a slot behind a later release',
      (data) => (data.release('8.4.24').version = '8.4.26'),
      `error build-ahead ${SLOT}/version 8.4.25-dev`,
    ],
  ]);
});

it('says what is wrong', () => {
  const catalogue = edited((data) => {
    const { managers } = data.catalogue.product.downloads;
    managers['8.4'] = ['daniels', 'edorian'];
    delete managers['8.5'];
    data.addBuild('8.6.0beta3');
  });
  const details = (rule: Rule) => [...rule(catalogue, { now: NOW })].map(({ detail }) => detail);
  expect(details(buildFolder)).toEqual([
    expect.stringMatching(/which is not one of: .*~daniels\/, https:.*~edorian\/$/),
    expect.stringMatching(/which is not one of: \(product\.json names no release manager of 8\.5\)$/),
  ]);
  expect(details(buildNumber)).toEqual(['8.6.0beta3 without beta2 on record; give a reason for the gap']);
});
