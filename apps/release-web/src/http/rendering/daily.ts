import { isoDate, parseIsoDate } from '@workspace/release-catalogue';
import type { Representation } from './representation.ts';
import type { RepresentationCache } from './representation-cache.ts';

/** What shows today, rendered once a day with midnight (UTC) as the instant. */
export const daily = (
  cache: RepresentationCache,
  key: string,
  now: Date,
  render: (midnight: Date) => Representation,
): Representation => {
  const date = isoDate(now);
  return cache.get(`${key} ${date}`, () => render(parseIsoDate(date)!));
};
