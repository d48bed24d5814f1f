import { Ajv2020 } from 'ajv/dist/2020.js';
import { pointerStep } from '@workspace/schemas';
import { type JsonValue, NumberLexeme } from '../../domain/json-value.ts';
import { compareExactly, exactNumber } from './number-rules.ts';
import { KEYWORDS, mapSubschemas, type SchemaNode, type SchemaObject } from './schema-node.ts';
import { UnusableSchema } from './unusable-schema.ts';

/** A schema file as it was read: references resolved, keywords known. */
export interface SchemaFile {
  /** name and version, such as `orders.v2` */
  readonly name: string;
  readonly type: string;
  readonly dataSchema: string;
  readonly schema: SchemaObject;
  /** valid operations, with numbers as they are written */
  readonly examples: readonly JsonValue[];
}

/** What `$ref: operations.v1#/properties/…` means. */
export type KnownSchemas = ReadonlyMap<string, object>;

const ID = /^([a-z][a-z0-9+.-]*:[!-~]*[/:])([a-z][a-z0-9-]{0,62})\.v(\d{1,6}(?:\.\d{1,6}){0,2})(?:\.json)?$/;
const MOST_SCHEMAS = 2_000;
const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** What the meta-schema of 2020-12 says of a document. @throws UnusableSchema */
const checkMetaSchema = (document: object): void => {
  const ajv = new Ajv2020({ allErrors: false, strict: false, logger: false, formats: { regex: true } });
  if (ajv.validateSchema(document)) return;
  const [error] = ajv.errors ?? [];
  throw new UnusableSchema(error?.instancePath ?? '', error?.message ?? 'is not JSON Schema 2020-12');
};

/** A JSON value as JavaScript has it. A number must survive: what the documents show is then what is judged. */
const plainOf = (value: JsonValue, at = ''): unknown => {
  if (value instanceof NumberLexeme) {
    const number = Number(value.text);
    const isSame =
      Number.isFinite(number) && compareExactly(exactNumber(String(number)), exactNumber(value.text)) === 0;
    if (!isSame) throw new UnusableSchema(at, `${value.text} has more digits than documents can show`);
    return number;
  }
  if (Array.isArray(value)) return value.map((one, index) => plainOf(one, at + pointerStep(index)));
  if (!(value instanceof Map)) return value;
  if (value.has('__proto__')) throw new UnusableSchema(at, '__proto__ cannot be the name of a member');
  return Object.fromEntries(Array.from(value, ([name, one]) => [name, plainOf(one, at + pointerStep(name))]));
};

const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));

const atPointer = (document: object, pointer: string): unknown =>
  stepsOf(pointer).reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, step)
        ? (value as Record<string, unknown>)[step]
        : undefined,
    document,
  );

/** Puts what `$ref` refers to in its place, so that all schemas are one finite tree. */
class References {
  readonly #documents: KnownSchemas;
  #schemas = 0;

  constructor(document: object, known: KnownSchemas) {
    this.#documents = new Map([...known, ['', document]]);
  }

  /** @param open references that lead here, and in which document this schema is */
  resolve(schema: unknown, at: string, open: readonly string[] = [], document = ''): SchemaNode {
    this.#schemas += 1;
    if (this.#schemas > MOST_SCHEMAS)
      throw new UnusableSchema(at, `more than ${MOST_SCHEMAS} schemas, with all references resolved`);
    if (typeof schema === 'boolean') return schema;
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
      throw new UnusableSchema(at, 'must be a schema: an object, true or false');
    const { $ref, $defs: _unused, ...rest } = schema as Record<string, unknown>;
    for (const keyword of Object.keys(rest)) {
      if (!KEYWORDS.has(keyword))
        throw new UnusableSchema(at + pointerStep(keyword), 'keyword not supported');
    }
    const own = mapSubschemas(rest, at, (one, pointer) => this.resolve(one, pointer, open, document));
    if ($ref === undefined) return own;
    const target = this.#target($ref, at, open, document);
    if (typeof target === 'boolean') return { ...own, allOf: [...((own['allOf'] as []) ?? []), target] };
    const judges = Object.keys(own).some(
      (keyword) => !['title', 'description', '$comment'].includes(keyword),
    );
    return judges ? { ...own, allOf: [...((own['allOf'] as []) ?? []), target] } : { ...target, ...own };
  }

  #target(ref: unknown, at: string, open: readonly string[], document: string): SchemaNode {
    const [, named = '', pointer = ''] = /^([^#]*)#?((?:\/[^#]*)?)$/.exec(String(ref)) ?? [];
    const name = named === '' ? document : named;
    const uri = `${name}#${pointer}`;
    if (open.includes(uri)) throw new UnusableSchema(at, `$ref ${String(ref)} leads back to itself`);
    const known = this.#documents.get(name);
    const target = known && atPointer(known, pointer);
    if (target === undefined)
      throw new UnusableSchema(at, `$ref ${JSON.stringify(ref)} refers to nothing in this file`);
    return this.resolve(target, at, [...open, uri], name);
  }
}

/**
 * @param value the parsed file
 * @param known what it can refer to by name
 * @throws UnusableSchema
 */
export const schemaFileOf = (value: JsonValue, known: KnownSchemas): SchemaFile => {
  if (!(value instanceof Map)) throw new UnusableSchema('', 'must be a JSON object');
  const document = plainOf(value) as Record<string, unknown>;
  const { $schema, $id, ...root } = document;
  if ($schema !== undefined && $schema !== DIALECT)
    throw new UnusableSchema('/$schema', `must be ${DIALECT}`);
  checkMetaSchema(document);
  const [, base, name, version] = ID.exec(String($id)) ?? [];
  if (base === undefined)
    throw new UnusableSchema('/$id', 'must be a URI that ends with name and version, such as …/orders.v2');
  const type = `${name}.submitted.v${version}`;
  const examples = value.get('examples');
  if (!Array.isArray(examples) || examples.length === 0)
    throw new UnusableSchema('/examples', 'must have at least one operation, for the documents');
  const schema = new References(root, new Map([...known, [String($id), root]])).resolve(root, '');
  if (typeof schema === 'boolean' || schema.type !== 'object')
    throw new UnusableSchema('/type', 'must be "object", because an operation is an object');
  return {
    name: `${name}.v${version}`,
    type,
    dataSchema: `${base}${type}.json`,
    schema,
    examples,
  };
};
