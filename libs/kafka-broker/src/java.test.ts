import { javaTool, parseJavaVersion } from './java.ts';

describe('parseJavaVersion', () => {
  it.each([
    ['openjdk version "17.0.15" 2025-04-15', 17],
    ['openjdk version "21" 2023-09-19', 21],
    ['java version "1.8.0_392"', 8],
    ['openjdk version "25-ea" 2025-09-16', 25],
    ['command not found', undefined],
    ['', undefined],
  ])('%s → %s', (text, version) => {
    expect(parseJavaVersion(text)).toBe(version);
  });
});

describe('javaTool', () => {
  it('follows JAVA_HOME, and PATH without it', () => {
    expect(javaTool('java', { JAVA_HOME: '/opt/jdk' })).toBe('/opt/jdk/bin/java');
    expect(javaTool('keytool', {})).toBe('keytool');
  });
});
