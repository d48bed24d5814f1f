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

/** What a keyword's value contains: no schema, one, a list of them, or schemas by name. */
type Content = 'none' | 'schema' | 'schemas' | 'named schemas';

/** Every keyword that a schema file may have. What is missing here could not be judged on texts of numbers. */
export const KEYWORDS: ReadonlyMap<string, Content> = new Map<string, Content>([
  ...['title', 'description', 'examples', 'default', 'deprecated', 'readOnly', 'writeOnly', '$comment'].map(
    (keyword): [string, Content] => [keyword, 'none'],
  ),
  ...['type', 'enum', 'const', 'required', 'dependentRequired', 'format', 'precision', 'scale'].map(
    (keyword): [string, Content] => [keyword, 'none'],
  ),
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].map(
    (keyword): [string, Content] => [keyword, 'none'],
  ),
  ...['minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map(
    (keyword): [string, Content] => [keyword, 'none'],
  ),
  ...['additionalProperties', 'items', 'not', 'if', 'then', 'else'].map((keyword): [string, Content] => [
    keyword,
    'schema',
  ]),
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((keyword): [string, Content] => [keyword, 'schemas']),
  ...['properties', 'dependentSchemas'].map((keyword): [string, Content] => [keyword, 'named schemas']),
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
      switch (KEYWORDS.get(keyword)) {
        case 'schema':
          return [keyword, copy(value as SchemaNode, pointer)];
        case 'schemas':
          return [
            keyword,
            (value as SchemaNode[]).map((one, index) => copy(one, pointer + pointerStep(index))),
          ];
        case 'named schemas':
          return [
            keyword,
            Object.fromEntries(
              Object.entries(value as Record<string, SchemaNode>).map(([name, one]) => [
                name,
                copy(one, pointer + pointerStep(name)),
              ]),
            ),
          ];
        default:
          return [keyword, value];
      }
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
