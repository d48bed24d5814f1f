/** Orders `8.2` before `8.10` and `8.4.9` before `8.4.10`; a part that is not a number counts as 0. */
export const compareVersions = (a: string, b: string): number => {
  // Stryker disable next-line ConditionalExpression: comparing the parts takes longer
  if (a === b) return 0;
  const left = a.split('.');
  const right = b.split('.');
  // Stryker disable next-line EqualityOperator: one more pair of missing parts is equal
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    // Stryker disable next-line ConditionalExpression: equal parts differ by 0
    if (left[i] === right[i]) continue;
    const difference = numberOf(left[i]) - numberOf(right[i]);
    if (difference !== 0) return difference;
  }
  return 0;
};

/** `8.4.25` → `8.4`; the name of the branch a version belongs to. */
export const branchOf = (version: string): string => version.split('.').slice(0, 2).join('.');

const DIGITS = /^\d+$/;

// Stryker disable next-line StringLiteral: any text that is no number
const numberOf = (part = ''): number => (DIGITS.test(part) ? Number(part) : 0);
