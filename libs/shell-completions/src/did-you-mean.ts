/** Of names that are as near, the first one counts; further ones were hardly meant. */
const MAX_EDITS = 2;

/**
 * The name that was meant: the nearest one by Levenshtein's distance, two letters in turn counting once.
 * @returns undefined when none is near
 */
export const nearest = (given: string, names: readonly string[]): string | undefined => {
  const most = Math.min(MAX_EDITS, Math.floor(given.length / 3));
  const edits = names.map((name) => editsBetween(given.toLowerCase(), name.toLowerCase()));
  const least = Math.min(...edits);
  return least <= most ? names[edits.indexOf(least)] : undefined;
};

/** ` Did you mean …?`, or nothing. */
export const didYouMean = (given: string, names: readonly string[]): string => {
  const meant = nearest(given, names);
  return meant === undefined ? '' : ` Did you mean "${meant}"?`;
};

/**
 * What is wrong with a command line that `parseArgs` of node:util rejects, in one sentence, and what was meant.
 * @param options the names that exist, without dashes
 */
export const parseFailure = ({ message }: Error, options: readonly string[]): string => {
  const [sentence = ''] = message.split('. ');
  const [, unknown] = /^Unknown option '(--[^']+)'/.exec(sentence) ?? [];
  const names = options.map((name) => `--${name}`);
  return `${sentence.replace(/\.$/, '')}.${unknown === undefined ? '' : didYouMean(unknown, names)}`;
};

const editsBetween = (one: string, other: string): number => {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row[j] = Math.min(
        row[j - 1]! + 1,
        rows[i - 1]![j]! + 1,
        rows[i - 1]![j - 1]! + (isSame ? 0 : 1),
        isSwapped ? rows[i - 2]![j - 2]! + 1 : Infinity,
      );
    }
    rows.push(row);
  }
  return rows[one.length]![other.length]!;
};
