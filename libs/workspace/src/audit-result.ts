interface Audit {
  /** why npm got no answer */
  message?: string;
  statusCode?: number;
  vulnerabilities?: Record<string, { severity: string; range: string }>;
}

const SERIOUS = ['high', 'critical'];

/**
 * What `npm audit --json` found.
 * @param printed its standard output
 * @returns a text for people, and the exit code: 0 nothing serious, 1 high or critical vulnerabilities, 2 the registry cannot tell
 */
export const auditResult = (printed: string): { text: string; code: 0 | 1 | 2 } => {
  let audit: Audit;
  try {
    audit = JSON.parse(printed) as Audit;
  } catch {
    return { text: `npm audit printed no JSON: ${printed.slice(0, 200)}`, code: 2 };
  }
  if (audit.vulnerabilities === undefined) {
    const reason =
      audit.statusCode === 404 || audit.statusCode === 405
        ? `the registry has no audit API (status ${audit.statusCode})`
        : `npm audit failed: ${audit.message ?? 'no reason given'}`;
    return { text: `${reason}; nothing was checked`, code: 2 };
  }
  const found = Object.entries(audit.vulnerabilities);
  const lines = found.map(([name, { severity, range }]) => `${severity}: ${name} ${range}`);
  const serious = found.some(([, { severity }]) => SERIOUS.includes(severity));
  return { text: lines.length > 0 ? lines.join('\n') : 'no known vulnerabilities', code: serious ? 1 : 0 };
};
