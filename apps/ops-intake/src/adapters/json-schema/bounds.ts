import { pointerStep } from '@workspace/schemas';
import { MOST_ITEMS, type SchemaNode, type SchemaObject, typesOf } from './schema-node.ts';
import { UnusableSchema } from './unusable-schema.ts';

/** Levels of an operation: a body nests 16, and its array and the operation are two of them. */
const MOST_LEVELS = 14;
const LONGEST_STRING = 65_536;

interface Located {
  readonly schema: SchemaObject;
  readonly at: string;
}

const TYPES = ['string', 'number', 'array', 'object'] as const;
type Type = (typeof TYPES)[number];

const located = (schema: SchemaNode | undefined, at: string): Located[] =>
  schema === undefined || schema === true ? [] : [{ schema: schema === false ? { enum: [] } : schema, at }];

/** A schema, and all that hold with it by `allOf`. */
const conjunction = (one: Located): Located[] => [
  one,
  ...(one.schema.allOf ?? []).flatMap((schema, index) =>
    located(schema, `${one.at}/allOf/${index}`).flatMap(conjunction),
  ),
];

/** Alternatives, of which one holds: of each it must be known that it is bounded. */
const unions = ({ schema, at }: Located): Located[][] => {
  const alternatives = (['anyOf', 'oneOf'] as const).flatMap((keyword) => {
    const list = schema[keyword];
    return list ? [list.map((one, index) => branch(one, `${at}/${keyword}/${index}`))] : [];
  });
  if (schema.if === undefined) return alternatives;
  return [...alternatives, [branch(schema.then, `${at}/then`), branch(schema.else, `${at}/else`)]];
};
const branch = (schema: SchemaNode | undefined, at: string): Located =>
  located(schema, at)[0] ?? { schema: {}, at };

const withoutUnions = ({ schema, at }: Located): Located => {
  const { allOf: _1, anyOf: _2, oneOf: _3, if: _4, then: _5, else: _6, ...rest } = schema;
  return { schema: rest, at };
};

const excludes = ({ schema }: Located, type: Type): boolean => {
  if (schema.enum !== undefined || 'const' in schema) return true;
  const types = typesOf(schema);
  return types !== undefined && !types.includes(type) && !(type === 'number' && types.includes('integer'));
};

interface Unbounded {
  readonly at: string;
  readonly reason: string;
}

const unboundedString = (all: Located[]): string | undefined => {
  const lengths = all.flatMap(({ schema }) => schema.maxLength ?? []);
  if (lengths.length === 0) return 'a string needs maxLength, enum or const';
  return Math.min(...lengths) > LONGEST_STRING ? `maxLength must be at most ${LONGEST_STRING}` : undefined;
};

const unboundedNumber = (all: Located[]): string | undefined =>
  all.some(({ schema }) => typesOf(schema)?.includes('integer') || schema.format === 'decimal')
    ? undefined
    : 'a number needs type integer, or format decimal with precision and scale';

const unboundedItems = (all: Located[], levels: number): Unbounded | string | undefined => {
  const most = all.flatMap(({ schema }) => schema.maxItems ?? []);
  const rest = all.flatMap(({ schema, at }) => located(schema.items, `${at}/items`));
  const first = all.flatMap(({ schema, at }) =>
    (schema.prefixItems ?? []).map((one, index) => branch(one, `${at}/prefixItems/${index}`)),
  );
  if (rest.length === 0) return 'an array needs items';
  if (most.length === 0 && !all.some(({ schema }) => schema.items === false))
    return 'an array needs maxItems';
  if (Math.min(...most) > MOST_ITEMS && most.length > 0) return `maxItems must be at most ${MOST_ITEMS}`;
  for (const one of first) {
    const unbounded = unboundedPart([one], levels + 1);
    if (unbounded) return unbounded;
  }
  return unboundedPart(rest, levels + 1);
};

const unboundedMembers = (all: Located[], levels: number): Unbounded | string | undefined => {
  const closed = all.find(({ schema }) => schema.additionalProperties === false);
  if (!closed) return 'an object needs additionalProperties: false';
  for (const name of Object.keys(closed.schema.properties ?? {})) {
    const same = all.flatMap(({ schema, at }) =>
      schema.properties && Object.hasOwn(schema.properties, name)
        ? branch(schema.properties[name], `${at}/properties${pointerStep(name)}`)
        : [],
    );
    const unbounded = unboundedPart(same, levels + 1);
    if (unbounded) return unbounded;
  }
  return undefined;
};

const unboundedAs = (type: Type, list: Located[], levels: number): Unbounded | undefined => {
  const all = list.flatMap(conjunction);
  if (all.some((one) => excludes(one, type))) return undefined;
  const found = {
    string: unboundedString,
    number: unboundedNumber,
    array: unboundedItems,
    object: unboundedMembers,
  }[type](all, levels);
  if (found === undefined) return undefined;
  // What all alternatives have in common does not bound it; each of them may.
  const common = all.map(withoutUnions);
  const isBounded = all
    .flatMap(unions)
    .some((union) => union.every((one) => unboundedAs(type, [one, ...common], levels) === undefined));
  if (isBounded) return undefined;
  return typeof found === 'string' ? { at: list[0]?.at ?? '', reason: found } : found;
};

/** What of a value, for which all of these schemas hold, has no bound. */
const unboundedPart = (list: Located[], levels: number): Unbounded | undefined => {
  if (levels > MOST_LEVELS) return { at: list[0]?.at ?? '', reason: `nests more than ${MOST_LEVELS} levels` };
  const all = list.flatMap(conjunction);
  const hasType = all.some(
    ({ schema }) => schema.type !== undefined || excludes({ schema, at: '' }, 'string'),
  );
  if (!hasType && !all.some((one) => unions(one).length > 0))
    return { at: list[0]?.at ?? '', reason: 'needs a type, enum or const' };
  for (const type of TYPES) {
    const unbounded = unboundedAs(type, list, levels);
    if (unbounded) return unbounded;
  }
  return undefined;
};

/**
 * Checks that every operation that the schema allows is limited in size: strings, arrays, members, nesting and digits.
 * @throws UnusableSchema
 */
export const checkBounds = (schema: SchemaObject): void => {
  const unbounded = unboundedPart([{ schema, at: '' }], 0);
  if (unbounded) throw new UnusableSchema(unbounded.at, unbounded.reason);
};
