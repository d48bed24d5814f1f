/** What a database is about. */
export type DatabaseModel = 'city' | 'country' | 'connection-type' | 'domain';

/** MaxMind's types and DB-IP's, `GeoLite2-Country`, and those of ip-location-db, `country ipv4` and `country ipvAll`. */
const MODELS: readonly (readonly [RegExp, DatabaseModel])[] = [
  [/City|Enterprise|^city ipv(?:4|6|All)$/, 'city'],
  [/Country|^country ipv(?:4|6|All)$/, 'country'],
  [/Connection-Type/, 'connection-type'],
  [/Domain/, 'domain'],
];

/** The model of a file, by the type that it claims; undefined for one that is of no use here. */
export const modelOf = (type: string): DatabaseModel | undefined =>
  MODELS.find(([pattern]) => pattern.test(type))?.[1];
