/** Remembers the results of a pure function for its last `limit` arguments. */
export const memoize = <V>(limit: number, compute: (key: string) => V): ((key: string) => V) => {
  // A Map remembers the order of insertion: once it is full, its first key is the one not asked for longest.
  const results = new Map<string, V>();
  return (key) => {
    const known = results.get(key);
    if (known !== undefined && results.size < limit) return known;
    const result = known ?? compute(key);
    results.delete(key);
    results.set(key, result);
    if (results.size > limit) results.delete(results.keys().next().value as string);
    return result;
  };
};
