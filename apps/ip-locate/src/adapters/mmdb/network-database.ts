import type { Address } from '@workspace/ip-addresses';
import { type NamedFile, UnusableFiles } from '@workspace/service-process';
import { type FurtherDatabase, UnreadableData } from '../../application/location-database.ts';
import { modelOf } from './database-model.ts';
import { select } from './data-section.ts';
import { infoOf } from './database-info.ts';
import { type MmdbFile, openMmdb } from './mmdb-file.ts';
import { type Reading, referenceNetworkReader } from './reference-reader.ts';
import { type Readers, verify } from './verification.ts';

/** What networks have in common besides their location, by model of database: the member of an entry. */
const MEMBERS = { 'connection-type': 'connection_type', domain: 'domain' } as const;

/**
 * Opens and verifies a Connection-Type or Domain file.
 * @throws UnusableFiles saying why the file must not be used
 */
export const openNetworkDatabase = async (files: readonly NamedFile[]): Promise<FurtherDatabase> => {
  const opened = files.map(({ name, bytes }) => ({ name, file: openMmdb(bytes) }));
  const [only] = opened;
  if (!only || opened.length > 1) throw new UnusableFiles('a database that has no locations is one file');
  const { file } = only;
  const { own, ...readers } = networkReaders(file);
  const find = (address: Address): string | null => {
    try {
      const value = (own(address, 'en')?.facts as { value?: unknown } | undefined)?.value;
      return typeof value === 'string' && value !== '' ? value : null;
    } catch (cause) {
      throw new UnreadableData('the database has a damaged entry', { cause });
    }
  };
  await verify(file, { own, ...readers });
  const info = infoOf(opened);
  return modelOf(file.type) === 'domain' ? { info, domain: find } : { info, connectionType: find };
};

/** The two readers of a file of connection types or domains, to be compared. */
export const networkReaders = (file: MmdbFile): Readers => {
  const model = modelOf(file.type);
  if (model !== 'connection-type' && model !== 'domain') {
    throw new UnusableFiles(`a database of type ${JSON.stringify(file.type)} is of no use here`);
  }
  const member = MEMBERS[model];
  const selection = select({ [member]: true });
  const own = (address: Address): Reading | undefined => {
    const found = file.find(address);
    if (!found) return undefined;
    const value = file.read(found.entry, selection)[member];
    return { facts: { value }, prefixLength: found.prefixLength };
  };
  return { families: file.families, own, reference: referenceNetworkReader(file, model) };
};
