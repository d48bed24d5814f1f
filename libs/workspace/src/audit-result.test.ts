import { auditResult } from './audit-result.ts';

const printed = (value: unknown): string => JSON.stringify(value);

describe('the result of npm audit', () => {
  it.each<[string, string, 0 | 1 | 2, string]>([
    ['no vulnerability', printed({ vulnerabilities: {} }), 0, 'no known vulnerabilities'],
    [
      'one that is not serious',
      printed({ vulnerabilities: { some: { severity: 'moderate', range: '<2' } } }),
      0,
      'moderate: some <2',
    ],
    [
      'a serious one',
      printed({
        vulnerabilities: {
          some: { severity: 'moderate', range: '<2' },
          other: { severity: 'critical', range: '1.0.0' },
        },
      }),
      1,
      'moderate: some <2\ncritical: other 1.0.0',
    ],
    [
      'a registry without an audit API',
      printed({ message: '405 Method Not Allowed', statusCode: 405 }),
      2,
      'the registry has no audit API (status 405); nothing was checked',
    ],
    [
      'a registry that is down',
      printed({ message: 'connect ECONNREFUSED' }),
      2,
      'npm audit failed: connect ECONNREFUSED; nothing was checked',
    ],
    ['no JSON', 'oops', 2, 'npm audit printed no JSON: oops'],
  ])('is understood for %s', (_case, output, code, text) => {
    expect(auditResult(output)).toEqual({ text, code });
  });
});
