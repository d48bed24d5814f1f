import { Asn } from '@maxmind/geoip2-node';
import type { Address } from '@workspace/ip-addresses';
import { type NamedFile, UnusableFiles } from '@workspace/service-kit';
import { type AsnDatabase, UnreadableData } from '../../application/location-database.ts';
import { type NetworkOperator, UNKNOWN_OPERATOR } from '../../domain/location.ts';
import { select } from './data-section.ts';
import { infoOf } from './database-info.ts';
import { openMmdb } from './mmdb-file.ts';
import { verify } from './verification.ts';

type AsnRecord = ConstructorParameters<typeof Asn>[0];
const MEMBERS = select({ autonomous_system_number: true, autonomous_system_organization: true });

/**
 * Opens and verifies a MaxMind-format ASN file (GeoLite2-ASN, DBIP-ASN-Lite, or GeoIP2-ISP, which has the same members).
 * @throws UnusableFiles saying why the file must not be used
 */
export const openAsnDatabase = async (files: readonly NamedFile[]): Promise<AsnDatabase> => {
  const opened = files.map(({ name, bytes }) => ({ name, file: openMmdb(bytes) }));
  const [only] = opened;
  if (!only || opened.length > 1) throw new UnusableFiles('ASN data is one file');
  const { file } = only;
  if (!/ASN|ISP/.test(file.type)) {
    throw new UnusableFiles(`a database of type ${JSON.stringify(file.type)} has no network operators`);
  }
  const families: (4 | 6)[] = file.ipVersion === 4 ? [4] : [4, 6];
  const find = ({ family, text, bytes }: Address): NetworkOperator => {
    try {
      const found = families.includes(family) ? file.tree.find(bytes) : undefined;
      if (!found) return UNKNOWN_OPERATOR;
      return toOperator(new Asn(file.read(found.record, MEMBERS) as object as AsnRecord, text));
    } catch (cause) {
      throw new UnreadableData('the database has a damaged record', { cause });
    }
  };
  await verify(file, families, (address) => (find(address) === UNKNOWN_OPERATOR ? 'not found' : 'plausible'));
  return { info: infoOf(opened), find };
};

/** Files hold anything, whatever the model's types promise. */
const toOperator = ({
  autonomousSystemNumber: asn,
  autonomousSystemOrganization: org,
}: Asn): NetworkOperator => ({
  asn: typeof asn === 'number' ? asn : null,
  org: typeof org === 'string' && org !== '' ? org : null,
});
