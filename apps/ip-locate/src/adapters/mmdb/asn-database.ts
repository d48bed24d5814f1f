import type { Address } from '@workspace/ip-addresses';
import { type NamedFile, UnusableFiles } from '@workspace/service-process';
import type { AsnDatabase } from '../../application/location-database.ts';
import { type NetworkOperator, UNKNOWN_OPERATOR } from '../../domain/location.ts';
import { select } from './data-section.ts';
import type { MmdbFile } from './mmdb-file.ts';
import { decodedReader, type Reading } from './reference-reader.ts';
import { openSingleFile } from './single-file.ts';
import type { Readers } from './verification.ts';

const MEMBERS = select({ autonomous_system_number: true, autonomous_system_organization: true });

/**
 * Opens and verifies a MaxMind-format ASN file (GeoLite2-ASN, DBIP-ASN-Lite, `asn ipvAll` of ip-location-db, or
 * GeoIP2-ISP, which has the same members).
 * @throws UnusableFiles saying why the file must not be used
 */
export const openAsnDatabase = (files: readonly NamedFile[]): Promise<AsnDatabase> =>
  openSingleFile(files, 'ASN data', asnReaders, (facts) =>
    facts ? toOperator(facts as OperatorFacts) : UNKNOWN_OPERATOR,
  );

/** The two readers of a file of network operators, to be compared. @throws UnusableFiles for a file of another type */
export const asnReaders = (file: MmdbFile): Readers => {
  if (!/ASN|ISP|^asn ipv(?:4|6|All)$/.test(file.type)) {
    throw new UnusableFiles(`a database of type ${JSON.stringify(file.type)} has no network operators`);
  }
  const own = (address: Address): Reading | undefined => {
    const found = file.find(address, MEMBERS);
    return found && { facts: operatorFacts(found.members), prefixLength: found.prefixLength };
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
