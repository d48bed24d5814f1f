import { branchPath, releasePath } from './paths.ts';

it.each([
  ['8.4.25', '/releases/8_4_25.php'],
  ['4.3.11', '/releases/4_3_11.php'],
  ['3.0.x (latest)', '/releases/3.0/'],
  ['10.12.x (latest)', '/releases/10.12/'],
  ['1-3.0.x', '/releases/1-3_0_x.php'],
])('the page of release %s is %s', (version, path) => {
  expect(releasePath({ version })).toBe(path);
});

it('the page of a branch has its name', () => {
  expect(branchPath({ branch: '8.4' })).toBe('/releases/8.4/');
});
