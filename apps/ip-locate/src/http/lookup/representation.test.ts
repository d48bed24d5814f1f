import fc from 'fast-check';
import type { LookupResult } from '../../application/locate.ts';
import { UNKNOWN_LOCATION } from '../../domain/location.ts';
import { EntryLocation } from '../../domain/entry-location.ts';
import { valuesOf, SHORT_RECORD } from './fields.ts';
import { represent } from './representation.ts';

const of = (text: string, location: LookupResult['location']) =>
  ({ address: { text, family: 4, bytes: new Uint8Array(4) }, location }) as unknown as LookupResult;
const json = (result: LookupResult): string => represent(result, 'json', SHORT_RECORD, {}).body;

describe('the short answer as JSON', () => {
  it('is the JSON of the fields, also for other addresses of a location that was written before', () => {
    const facts = fc.record({
      city: fc.option(fc.string({ unit: 'binary' })),
      region: fc.option(fc.string()),
      country: fc.option(fc.constantFrom('DE', '"', '\\', '\u2028')),
      postal: fc.option(fc.string()),
      latitude: fc.oneof(fc.double({ min: -90, max: 90 }), fc.constant(NaN)),
      longitude: fc.double({ min: -180, max: 180 }),
      timezone: fc.option(fc.string()),
    });
    fc.assert(
      fc.property(facts, (some) => {
        const location = new EntryLocation(some, 'en', {});
        for (const address of ['192.0.2.1', '192.0.2.22']) {
          const result = of(address, location);
          expect(json(result)).toBe(JSON.stringify(valuesOf(result, SHORT_RECORD)));
        }
      }),
    );
  });

  it('has null for all that is unknown', () => {
    const result = of('192.0.2.1', UNKNOWN_LOCATION);
    expect(json(result)).toBe(JSON.stringify(valuesOf(result, SHORT_RECORD)));
  });
});
