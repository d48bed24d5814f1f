import { edited } from '../testing/edited-catalogue.ts';
import type { Release } from '../schemas/index.ts';
import { isSecurityRelease, tagsOf } from './security-release.ts';

const releaseWith = (more: Partial<Release>, tags?: string[]): Release => {
  const { fixes: _, ...release } = edited(() => undefined).branches.find(
    ({ branch }) => branch === '8.4',
  )!.current!;
  const { tags: _tags, ...published } = release.published;
  return { ...release, ...more, published: { ...published, ...(tags && { tags }) } };
};

describe('security releases', () => {
  it.each([
    [{ kind: 'security' }, true],
    [{ kind: 'bugfix', fixes: ['CVE-2026-0001'] }, true],
    [{ kind: 'unrecorded', fixes: ['CVE-2026-0001'] }, true],
    [{ kind: 'bugfix' }, false],
    [{ kind: 'unrecorded' }, null],
  ] as const)('%j: %s', (facts, security) => {
    expect(isSecurityRelease(releaseWith(facts as Partial<Release>))).toBe(security);
  });

  it.each([
    [{ kind: 'security' }, ['security'], ['security']],
    [{ kind: 'security' }, ['', 'beta'], ['beta', 'security']],
    [{ kind: 'security' }, undefined, ['security']],
    [{ kind: 'bugfix' }, [''], []],
    [{ kind: 'bugfix' }, undefined, []],
    [{ kind: 'unrecorded' }, ['beta'], ['beta']],
  ] as const)('%j with tags %j has %j', (facts, tags, expected) => {
    expect(tagsOf(releaseWith(facts as Partial<Release>, tags as string[] | undefined))).toEqual(expected);
  });
});
