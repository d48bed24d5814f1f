import { pointerStep } from '@workspace/schemas';

/** One (sub)schema of a file: no references, and only keywords of the table below. */
export type SchemaNode = boolean | SchemaObject;

export interface SchemaObject {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly precision?: number;
  readonly scale?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly pattern?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode;
  readonly items?: SchemaNode;
  readonly prefixItems?: readonly SchemaNode[];
  readonly dependentSchemas?: Readonly<Record<string, SchemaNode>>;
  readonly allOf?: readonly SchemaNode[];
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly not?: SchemaNode;
  readonly if?: SchemaNode;
  readonly then?: SchemaNode;
  readonly else?: SchemaNode;
}

/** What the value of a keyword contains: a schema, a list of them, or schemas by name. The values of others contain none. */
const CONTENTS: Readonly<Record<string, 'schema' | 'schemas' | 'named schemas'>> = {
  additionalProperties: 'schema',
  items: 'schema',
  not: 'schema',
  if: 'schema',
  then: 'schema',
  else: 'schema',
  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  prefixItems: 'schemas',
  properties: 'named schemas',
  dependentSchemas: 'named schemas',
};

/** Every keyword that a schema file may have. What is missing here could not be judged on texts of numbers. */
export const KEYWORDS: ReadonlySet<string> = new Set([
  ...Object.keys(CONTENTS),
  ...['title', 'description', 'examples', 'default', 'deprecated', 'readOnly', 'writeOnly', '$comment'],
  ...['type', 'enum', 'const', 'required', 'dependentRequired', 'format', 'precision', 'scale'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
]);

/** Copies a schema. @param copy makes the copy of each subschema, and gets its JSON Pointer */
export const mapSubschemas = <T>(
  schema: SchemaObject,
  at: string,
  copy: (subschema: SchemaNode, at: string) => T,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(schema).map(([keyword, value]: [string, unknown]): [string, unknown] => {
      const pointer = at + pointerStep(keyword);
      const content = CONTENTS[keyword];
      if (content === undefined) return [keyword, value];
      if (content === 'schema') return [keyword, copy(value as SchemaNode, pointer)];
      const copies = Object.entries(value as Record<string, SchemaNode>).map(
        ([name, one]) => [name, copy(one, pointer + pointerStep(name))] as const,
      );
      return [keyword, content === 'schemas' ? copies.map(([, one]) => one) : Object.fromEntries(copies)];
    }),
  );

/** Calls `visit` with a schema and all schemas in it. */
export const eachSubschema = (
  schema: SchemaNode,
  visit: (schema: SchemaObject, at: string) => void,
  at = '',
): void => {
  if (typeof schema === 'boolean') return;
  visit(schema, at);
  mapSubschemas(schema, at, (one, pointer) => eachSubschema(one, visit, pointer));
};

/** The types that a schema names; undefined when it allows all. */
export const typesOf = ({ type }: SchemaObject): readonly string[] | undefined =>
  typeof type === 'string' ? [type] : type;
