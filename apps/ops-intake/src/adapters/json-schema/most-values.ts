import { MOST_ITEMS, type SchemaNode } from './schema-node.ts';

/** Further counting changes nothing. */
const ENOUGH = 1_000_000;

const sum = (schemas: readonly (SchemaNode | undefined)[]): number =>
  schemas.reduce<number>((total, schema) => total + mostValues(schema), 0);

/** No value that the schema allows has more values in it, itself included. The true limit may be less. */
export const mostValues = (schema: SchemaNode | undefined): number => {
  if (schema === undefined || typeof schema === 'boolean') return 0;
  const { properties = {}, maxItems = MOST_ITEMS, items, prefixItems = [] } = schema;
  const { allOf = [], anyOf = [], oneOf = [], dependentSchemas = {} } = schema;
  const inside =
    sum(Object.values(properties)) +
    sum(prefixItems) +
    maxItems * mostValues(items) +
    sum([...allOf, ...anyOf, ...oneOf, schema.then, schema.else, ...Object.values(dependentSchemas)]);
  return Math.min(1 + inside, ENOUGH);
};
