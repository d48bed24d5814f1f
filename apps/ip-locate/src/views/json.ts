import type { LocationRecord } from '../domain/fields.ts';

/** One line of JSON; missing values are null. */
export const json = (record: LocationRecord): string => JSON.stringify(record);
