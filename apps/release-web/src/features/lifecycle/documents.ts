import { type Static, Type } from '@sinclair/typebox';
import { type BranchFile, type Catalogue, isoDate } from '@workspace/release-catalogue';
import { DateTime } from '@workspace/schemas';
import { knownSupportDates } from '../../domain/support-state.ts';
import { lifecycleEvents, recordedAt } from './events.ts';
import { type Cle, CLE_SCHEMA } from './cle-schema.ts';

const SCHEMA = 'https://docs.oasis-open.org/openeox/v1.0/schema/core.json';
const Moment = Type.Union([DateTime, Type.Literal('tba')], {
  description: 'from when on; `tba`: not announced',
  examples: ['2028-12-31T00:00:00Z'],
});

/** OpenEoX Core 1.0 (OASIS): the ends of one product. Its `end_of_sales` has no meaning for PHP. */
export const OpenEox = Type.Object(
  {
    $schema: Type.Literal(SCHEMA),
    end_of_life: Moment,
    end_of_security_support: Moment,
    general_availability: Type.Optional({ ...DateTime, examples: ['2024-11-21T00:00:00Z'] }),
    last_updated: { ...DateTime, examples: ['2026-08-13T00:00:00Z'] },
  },
  { $id: 'OpenEox', additionalProperties: false },
);
export type OpenEox = Static<typeof OpenEox>;

/** The ends of a branch; without one, those of PHP, which is not going to end as far as anything on record says. */
export const openEoxDocument = (catalogue: Catalogue, branch?: BranchFile): OpenEox => {
  const dates = branch && knownSupportDates(branch);
  const end = dates?.securitySupportEnd ? midnight(dates.securitySupportEnd) : 'tba';
  return {
    $schema: SCHEMA,
    end_of_life: end,
    end_of_security_support: end,
    ...(dates?.initialRelease && { general_availability: midnight(dates.initialRelease) }),
    last_updated: recordedAt(branch ? [branch] : catalogue.branches),
  };
};

const midnight = (day: Date): string => `${isoDate(day)}T00:00:00Z`;

const POLICIES = [
  { id: 'active', description: 'Bugs and security issues are fixed.' },
  { id: 'security', description: 'Critical security issues are fixed.' },
];

/** The events of a branch; without one, of all. An event has the same id in both documents. */
export const cleDocument = (catalogue: Catalogue, branch?: BranchFile): Cle => {
  const { identifiers = [], name, release_policy } = catalogue.product;
  const url = release_policy === undefined ? {} : { url: release_policy };
  return {
    $schema: CLE_SCHEMA,
    identifier:
      identifiers.find(({ type }) => type === 'purl')?.id ??
      `pkg:generic/${encodeURIComponent(name.toLowerCase())}`,
    updatedAt: recordedAt(branch ? [branch] : catalogue.branches),
    definitions: { support: POLICIES.map((policy) => ({ ...policy, ...url })) },
    events: lifecycleEvents(catalogue)
      .filter((event) => branch === undefined || event.branch === branch.branch)
      .map(({ event }) => event)
      .reverse(),
  };
};
