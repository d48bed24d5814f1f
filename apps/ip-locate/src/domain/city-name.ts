/**
 * A city's name without the district some makers put in brackets behind it: of `San Jose (Tasman and Zanker)`,
 * `San Jose`. A name that is all brackets stays.
 */
export const withoutDistrict = (name: string): string => name.replace(/(?<=\S)\s+\([^()]*\)$/, '');
