import { isStale } from '../../domain/data-age.ts';
import { DAY_MS, midnightOf } from '../../domain/utc-day.ts';
import type { ExportedService } from './exported-service.ts';

/** A moment from which on answers are different. */
export interface Instant {
  readonly from: Date;
  /** only what shows today changes: the midnights of the days that are rendered one by one */
  readonly isDayOnly: boolean;
}

/**
 * The moments at which answers change, the first one being `start`: every transition until the last known one, the moment from
 * which the data counts as stale, and the next midnights.
 * @param days how many midnights
 */
export const instantsFrom = (service: ExportedService, start: Date, days: number): readonly Instant[] => {
  const changes = new Set<number>();
  service.setClock(start);
  for (let next = service.nextTransition(); next !== null; next = service.nextTransition()) {
    changes.add(next.getTime());
    service.setClock(next);
  }
  const { catalogue, staleDays } = service;
  const stale = new Date(catalogue.revision.getTime() + (staleDays + 1) * DAY_MS);
  if (!isStale(catalogue.revision, start, staleDays)) changes.add(stale.getTime());
  changes.add(start.getTime());
  const midnight = midnightOf(start).getTime();
  const midnights = Array.from({ length: days }, (_, day) => midnight + (day + 1) * DAY_MS);
  return [...new Set([...changes, ...midnights])]
    .sort((a, b) => a - b)
    .map((time) => ({ from: new Date(time), isDayOnly: !changes.has(time) }));
};
