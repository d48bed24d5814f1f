import type { Address } from '@workspace/ip-addresses';
import { type NamedFile, UnusableFiles } from '@workspace/service-process';
import { type AsnDatabase, UnreadableData } from '../../application/location-database.ts';
import { type NetworkOperator, UNKNOWN_OPERATOR } from '../../domain/location.ts';
import { select } from './data-section.ts';
import { infoOf } from './database-info.ts';
import { type MmdbFile, openMmdb } from './mmdb-file.ts';
import { decodedReader, type Reading } from './reference-reader.ts';
import { type Readers, verify } from './verification.ts';

const MEMBERS = select({ autonomous_system_number: true, autonomous_system_organization: true });

/**
 * Opens and verifies a MaxMind-format ASN file (GeoLite2-ASN, DBIP-ASN-Lite, `asn ipvAll` of ip-location-db, or
 * GeoIP2-ISP, which has the same members).
 * @throws UnusableFiles saying why the file must not be used
 */
export const openAsnDatabase = async (files: readonly NamedFile[]): Promise<AsnDatabase> => {
  const opened = files.map(({ name, bytes }) => ({ name, file: openMmdb(bytes) }));
  const [only] = opened;
  if (!only || opened.length > 1) throw new UnusableFiles('ASN data is one file');
  const { file } = only;
  if (!/ASN|ISP|^asn ipv(?:4|6|All)$/.test(file.type)) {
    throw new UnusableFiles(`a database of type ${JSON.stringify(file.type)} has no network operators`);
  }
  const { own, ...readers } = asnReaders(file);
  const find = (address: Address): NetworkOperator => {
    try {
      const reading = own(address, 'en');
      return reading ? toOperator(reading.facts as OperatorFacts) : UNKNOWN_OPERATOR;
    } catch (cause) {
      throw new UnreadableData('the database has a damaged entry', { cause });
    }
  };
  await verify(file, { own, ...readers });
  return { info: infoOf(opened), find };
};

/** The two readers of a file of network operators, to be compared. */
export const asnReaders = (file: MmdbFile): Readers => {
  const own = (address: Address): Reading | undefined => {
    const found = file.find(address);
    if (!found) return undefined;
    return { facts: operatorFacts(file.read(found.entry, MEMBERS)), prefixLength: found.prefixLength };
  };
  return { families: file.families, own, reference: decodedReader(file, operatorFacts) };
};

const operatorFacts = (entry: Record<string, unknown>): OperatorFacts => ({
  asn: entry['autonomous_system_number'],
  org: entry['autonomous_system_organization'],
});

/** What an entry says. Files hold anything, whatever the model's types promise. */
type OperatorFacts = Readonly<Record<'asn' | 'org', unknown>>;

const toOperator = ({ asn, org }: OperatorFacts): NetworkOperator => ({
  asn: typeof asn === 'number' ? asn : null,
  org: typeof org === 'string' && org !== '' ? org : null,
});
