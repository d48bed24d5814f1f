import { jarsFolder } from './jars.ts';

const pom = (version: string): string => `<properties><kafka.version>${version}</kafka.version></properties>`;

describe('jarsFolder', () => {
  it('is in the cache of the user, named after version and content of the pom', () => {
    const folder = jarsFolder(pom('4.3.1'), { XDG_CACHE_HOME: '/cache' });
    expect(folder).toMatch(/^\/cache\/three-services\/kafka-4\.3\.1-[0-9a-f]{12}$/);
    expect(jarsFolder(pom('4.3.1'), { XDG_CACHE_HOME: '/cache' })).toBe(folder);
    expect(jarsFolder(`${pom('4.3.1')} `, { XDG_CACHE_HOME: '/cache' })).not.toBe(folder);
  });

  it('falls back to ~/.cache', () => {
    expect(jarsFolder(pom('4.3.1'), {})).toMatch(/\/\.cache\/three-services\//);
  });

  it('rejects a pom without a version', () => {
    expect(() => jarsFolder('<project/>', {})).toThrow('does not name kafka.version');
  });
});
