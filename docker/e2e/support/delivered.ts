/** How many acknowledged submissions a topic lacks. @param log keys (submission ids) of its records */
export const lost = (acknowledged: Iterable<string>, log: readonly string[]): number => {
  const written = new Set(log);
  return [...acknowledged].filter((key) => !written.has(key)).length;
};

/** How many records a topic has again, although no client was told that the outcome is unknown. */
export const duplicates = (log: readonly string[], unknownOutcomes: ReadonlySet<string>): number => {
  const seen = new Set<string>();
  let count = 0;
  for (const key of log) {
    if (seen.has(key) && !unknownOutcomes.has(key)) count += 1;
    seen.add(key);
  }
  return count;
};
