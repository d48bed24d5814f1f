import { type Violation, violationText } from '@workspace/release-catalogue';
import type { Health } from '@workspace/schemas';
import type { DataStatus } from '../../application/catalogue-watcher.ts';

/** Whether the newest data is served; `warn` when the last valid data is served instead, `fail` when none is, and why. */
export const healthOf = (data: DataStatus, version: string, now: Date): Health => {
  const { revision, violations } = data;
  const status = !revision ? 'fail' : violations.length > 0 ? 'warn' : 'pass';
  const output = `${servedText(data)}: ${summaryOf(violations)}`;
  return {
    status,
    version,
    checks: {
      'data:revision': [
        {
          status,
          componentType: 'datastore',
          observedValue: revision && revision.toISOString(),
          time: now.toISOString(),
          ...(violations.length > 0 && { output }),
        },
      ],
    },
  };
};

const servedText = ({ revision, isKept }: DataStatus): string => {
  if (!revision) return 'there is no data to serve; the data is invalid';
  return isKept
    ? 'serving the last valid data, which was kept before the start; the data is invalid'
    : 'still serving the last valid data; the newer data is invalid';
};

/** Anyone may read /health, so it stays small; `release-data validate` prints every violation in full. */
const SHOWN_VIOLATIONS = 10;
const SHOWN_CHARACTERS = 250;

const summaryOf = (violations: readonly Violation[]): string => {
  const shown = violations.slice(0, SHOWN_VIOLATIONS).map((violation) => {
    const text = violationText(violation);
    return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
  });
  const more = violations.length - shown.length;
  return `${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
};
