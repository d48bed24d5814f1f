import type { Address } from '@workspace/ip-addresses';
import { type NamedFile, UnusableFiles } from '@workspace/service-process';
import type { FurtherDatabase } from '../../application/location-database.ts';
import { modelOf } from './database-model.ts';
import { select } from './data-section.ts';
import type { MmdbFile } from './mmdb-file.ts';
import { decodedReader, type Reading } from './reference-reader.ts';
import { openSingleFile } from './single-file.ts';
import type { Readers } from './verification.ts';

/** What networks have in common besides their location, by model of database: the member of an entry. */
const MEMBERS = { 'connection-type': 'connection_type', domain: 'domain' } as const;

/**
 * Opens and verifies a Connection-Type or Domain file.
 * @throws UnusableFiles saying why the file must not be used
 */
export const openNetworkDatabase = async (files: readonly NamedFile[]): Promise<FurtherDatabase> => {
  const { info, find } = await openSingleFile(
    files,
    'a database that has no locations',
    networkReaders,
    textOf,
  );
  return modelOf(info.types[0]!) === 'domain' ? { info, domain: find } : { info, connectionType: find };
};

const textOf = (facts: { readonly value?: unknown } | undefined): string | null =>
  typeof facts?.value === 'string' && facts.value !== '' ? facts.value : null;

/** The two readers of a file of connection types or domains, to be compared. */
export const networkReaders = (file: MmdbFile): Readers => {
  const model = modelOf(file.type);
  if (model !== 'connection-type' && model !== 'domain') {
    throw new UnusableFiles(`a database of type ${JSON.stringify(file.type)} is of no use here`);
  }
  const member = MEMBERS[model];
  const selection = select({ [member]: true });
  const factsOf = (entry: Readonly<Record<string, unknown>>) => ({ value: entry[member] });
  const own = (address: Address): Reading | undefined => {
    const found = file.find(address, selection);
    return found && { facts: factsOf(found.members), prefixLength: found.prefixLength };
  };
  return { families: file.families, own, reference: decodedReader(file, factsOf) };
};
