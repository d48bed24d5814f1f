import { edited, type EditedData, newViolations, NOW, type RuleCase } from '../testing/edited-catalogue.ts';
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

const cases: RuleCase[] = [
  ...folders.map(([title, folder]): RuleCase => ({
    title,
    rule: buildFolder,
    edit: (data) => (data.build('8.4.25').release.baseurl = folder),
    finds: [`error build-folder ${SLOT}/release/baseurl 8.4.25RC1 ${folder}`],
  })),
  {
    title: 'a second manager of the branch is fine',
    rule: buildFolder,
    edit: (data) => {
      data.catalogue.product.downloads.managers['8.4'] = ['calvinb', 'daniels'];
      data.build('8.4.25').release.baseurl = 'https://downloads.php.net/~daniels/';
    },
    finds: [],
  },
  ...[...folders.slice(0, 2), folders[3]!].map(([title, folder]): RuleCase => ({
    title: `${title}, though taken over from another site`,
    rule: buildFolder,
    edit: (data) => takenOver(data, folder),
    finds: [`error build-folder ${SLOT}/release/baseurl 8.4.25RC1 ${folder}`],
  })),
  {
    title: 'a manager that only the site knows from which the build was taken over',
    rule: buildFolder,
    edit: (data) => takenOver(data, 'https://downloads.php.net/~newcomer/'),
    finds: [`warning build-folder ${SLOT}/release/baseurl 8.4.25RC1 https://downloads.php.net/~newcomer/`],
  },
  {
    title: 'RC3 after RC1',
    rule: buildNumber,
    edit: (data) => data.addBuild('8.4.25RC3'),
    finds: [`error build-number ${SLOT}/release/number 8.4.25RC3`],
  },
  {
    title: 'back from RC1 to beta2',
    rule: buildNumber,
    edit: (data) => data.addBuild('8.4.25beta2'),
    finds: [`error build-number ${SLOT}/release/number 8.4.25beta2`],
  },
  {
    title: 'RC3 after RC1 with a reason is fine',
    rule: buildNumber,
    edit: (data) => data.addBuild('8.4.25RC3', 'RC2 was never packaged'),
    finds: [],
  },
  { title: 'RC2 after RC1', rule: buildNumber, edit: (data) => data.addBuild('8.4.25RC2'), finds: [] },
  { title: 'RC1 after beta1', rule: buildNumber, edit: (data) => data.addBuild('8.6.0RC1'), finds: [] },
  {
    title: 'builds of 8.4.250 do not count for 8.4.25, and RC0 is no build',
    rule: buildNumber,
    edit: (data) => {
      data.branch('8.4').retired_builds = ['8.4.250RC7', '8.4.25RC0'].map((version) => ({
        version,
        sha256: [],
      }));
    },
    finds: [],
  },
  {
    title: 'an empty digest, which was served',
    rule: buildHashes,
    edit: (data) => (data.build('8.4.25').release.sha256_xz = ''),
    finds: [`error build-hashes ${SLOT}/release/sha256_xz 8.4.25RC1 xz`],
  },
  {
    title: 'no digest',
    rule: buildHashes,
    edit: (data) => delete data.build('8.4.25').release.sha256_gz,
    finds: [`error build-hashes ${SLOT}/release/sha256_gz 8.4.25RC1 gz`],
  },
  {
    title: 'a build that is not active may lack them',
    rule: buildHashes,
    edit: (data) => {
      data.build('8.4.25').active = false;
      data.build('8.4.25').release.sha256_xz = '';
    },
    finds: [],
  },
  {
    title: 'a candidate that stayed after its release',
    rule: buildAhead,
    edit: (data) => (data.release('8.4.24').version = '8.4.25'),
    finds: [`error build-ahead ${SLOT}/version 8.4.25-dev`],
  },
  {
    title: 'two slots of one version',
    rule: buildAhead,
    edit: (data) => data.branch('8.4').pre_releases.push(structuredClone(data.build('8.4.25'))),
    finds: [
      'error build-ahead branches/8.4.json#/pre_releases/0/version 8.4.25',
      'error build-ahead branches/8.4.json#/pre_releases/1/version 8.4.25',
    ],
  },
  {
    title: 'slots of two versions',
    rule: buildAhead,
    edit: (data) =>
      data
        .branch('8.4')
        .pre_releases.push({ version: '8.4.26', active: true, release: { type: 'RC', number: 0 } }),
    finds: [],
  },
  {
    title: 'a slot that is switched off may lie behind',
    rule: buildAhead,
    edit: (data) => {
      data.release('8.4.24').version = '8.4.25';
      data.build('8.4.25').active = false;
    },
    finds: [],
  },
  ...['~Newcomer/', '~newcomer/x/', '~newcomer', '~/', '~new comer/'].map((folder): RuleCase => ({
    title: `${folder}, which no manager has, though taken over`,
    rule: buildFolder,
    edit: (data) => takenOver(data, `https://downloads.php.net/${folder}`),
    finds: [`error build-folder ${SLOT}/release/baseurl 8.4.25RC1 https://downloads.php.net/${folder}`],
  })),
  {
    title: 'a branch without a manager, and a manager with all letters that names have',
    rule: buildFolder,
    edit: (data) => {
      delete data.catalogue.product.downloads.managers['8.5'];
      takenOver(data, 'https://downloads.php.net/~a-z_09/');
    },
    finds: [
      `warning build-folder ${SLOT}/release/baseurl 8.4.25RC1 https://downloads.php.net/~a-z_09/`,
      'error build-folder branches/8.5.json#/pre_releases/0/release/baseurl 8.5.10RC1 https://downloads.php.net/~daniels/',
    ],
  },
  {
    title: 'a folder that is not there',
    rule: buildFolder,
    edit: (data) => delete data.build('8.4.25').release.baseurl,
    finds: [`error build-folder ${SLOT}/release/baseurl 8.4.25RC1 `],
  },
  {
    title: 'a slot without a build needs no folder',
    rule: buildFolder,
    edit: (data) => (data.build('8.2.27').release.baseurl = 'x'),
    finds: [],
  },
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
  ).map(([type, number, retired, isWrong]): RuleCase => ({
    title: `${type}${number} after ${retired} ${isWrong ? 'is wrong' : 'is fine'}`,
    rule: buildNumber,
    edit: (data) => {
      Object.assign(data.build('8.4.25').release, { type, number });
      data.branch('8.4').retired_builds = [{ version: `8.4.25${retired}`, sha256: [] }];
    },
    finds: isWrong ? [`error build-number ${SLOT}/release/number 8.4.25${type}${number}`] : [],
  })),
  {
    title: 'a reason for another build, and an entry without one, explain no gap',
    rule: buildNumber,
    edit: (data) => {
      data.addBuild('8.4.25RC3');
      const at = '2026-08-27T09:00:00Z';
      data.branch('8.4').audit.push({ at, action: 'correct', version: '8.4.25RC2', reason: 'x' });
    },
    finds: [`error build-number ${SLOT}/release/number 8.4.25RC3`],
  },
  {
    title: 'a slot whose build is still to come has no digests',
    rule: buildHashes,
    edit: (data) => {
      Object.assign(data.build('8.4.25').release, { number: 0, sha256_gz: '' });
    },
    finds: [],
  },
  {
    title: 'a slot behind a later release',
    rule: buildAhead,
    edit: (data) => (data.release('8.4.24').version = '8.4.26'),
    finds: [`error build-ahead ${SLOT}/version 8.4.25-dev`],
  },
];

describe('rules about builds', () => {
  it.each(cases)('$rule.name: $title', (ruleCase) => {
    expect(newViolations(ruleCase)).toEqual(ruleCase.finds);
  });
});

it('says what is wrong', () => {
  const catalogue = edited((data) => {
    const { managers } = data.catalogue.product.downloads;
    managers['8.4'] = ['daniels', 'edorian'];
    delete managers['8.5'];
    data.addBuild('8.6.0beta3');
  });
  const details = (rule: Rule) => rule(catalogue, { now: NOW }).map(({ detail }) => detail);
  expect(details(buildFolder)).toEqual([
    expect.stringMatching(/which is not one of: .*~daniels\/, https:.*~edorian\/$/),
    expect.stringMatching(/which is not one of: \(product\.json names no release manager of 8\.5\)$/),
  ]);
  expect(details(buildNumber)).toEqual(['8.6.0beta3 without beta2 on record; give a reason for the gap']);
});
