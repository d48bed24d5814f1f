import type { BranchFile, Catalogue } from '@workspace/release-catalogue';
import { CLE_SCHEMA, type Cle } from './cle-schema.ts';
import { lifecycleEvents, recordedAt } from './events.ts';

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
