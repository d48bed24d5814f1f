import { DEFAULT_FIELDS, type Finding, type LocationRecord, recordOf } from '../domain/fields.ts';
import type { Place } from '../domain/place.ts';
import { TwoGenerationCache } from '../domain/two-generation-cache.ts';

/** One line of JSON; missing values are null. */
export const json = (record: LocationRecord): string => JSON.stringify(record);

const ABOUT_THE_PLACE = DEFAULT_FIELDS.filter((name) => name !== 'ip');

/** Default records as JSON: the same for all addresses of a place but for the address itself, which comes first. */
export class DefaultJson {
  /** by place, all that follows the address; some 150 bytes each */
  readonly #tails = new TwoGenerationCache<Place, string>(100_000);

  of(finding: Finding): string {
    const { address, place } = finding;
    let tail = this.#tails.get(place);
    if (tail === undefined) {
      tail = json(recordOf(finding, ABOUT_THE_PLACE)).slice(1);
      this.#tails.set(place, tail);
    }
    return `{"ip":"${address.text}",${tail}`;
  }
}
