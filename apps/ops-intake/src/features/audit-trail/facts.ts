/** What a record can say of its submission for an audit, beside what every record says. */
export const AUDIT_FACTS = ['time', 'instance', 'client-address', 'digest', 'request-id'] as const;
export type AuditFact = (typeof AUDIT_FACTS)[number];

/** The facts in a comma-separated list, and the places, from 1 on, of entries that are not facts. */
export const parseAuditTrail = (list = ''): { facts: ReadonlySet<AuditFact>; invalid: number[] } => {
  const names = list === '' ? [] : list.split(',').map((name) => name.trim());
  const facts = new Set(AUDIT_FACTS.filter((fact) => names.includes(fact)));
  const invalid = names.flatMap((name, index) => (facts.has(name as AuditFact) ? [] : [index + 1]));
  return { facts, invalid };
};

/** RFC 3339, with microseconds. */
export const microsecondTime = (microseconds: number): string => {
  const rest = microseconds % 1_000;
  const text = new Date((microseconds - rest) / 1_000).toISOString();
  return `${text.slice(0, -1)}${String(rest).padStart(3, '0')}Z`;
};
