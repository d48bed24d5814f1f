interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

interface Media {
  readonly schema?: Schema;
  readonly examples?: unknown;
}

/** What this needs of an OpenAPI document. */
export interface DescribedApi {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly responses?: Readonly<
              Record<string, { readonly content?: Readonly<Record<string, Media>> }>
            >;
          }
        >
      >
    >
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Pages and pictures are no data to show in a reference. */
const WITHOUT_EXAMPLE = /^(text\/html|image\/)/;

/**
 * The answers of an API whose bodies a reader cannot picture: `GET /json 200 text/csv: #/city`. A body is shown by an example of its
 * schema or by examples, constants and values of all its members; numbers and booleans need none.
 * @param without paths that describe the API itself, by their beginning
 */
export const answersWithoutExample = (document: DescribedApi, without: readonly string[]): string[] => {
  const missing = (schema: Schema, pointer: string): string[] => {
    const { $ref, properties, items, anyOf } = schema;
    if ($ref !== undefined) {
      const known = document.components.schemas[$ref.replace('#/components/schemas/', '')];
      return known ? missing(known, pointer) : [pointer];
    }
    if (schema.examples || 'const' in schema || schema.enum) return [];
    if (anyOf) return anyOf.some((one) => missing(one, pointer).length === 0) ? [] : [pointer];
    if (properties)
      return Object.entries(properties).flatMap(([name, one]) => missing(one, `${pointer}/${name}`));
    if (items) return missing(items, `${pointer}/0`);
    return ['boolean', 'integer', 'number', 'null'].some((type) => [schema.type].flat().includes(type))
      ? []
      : [pointer];
  };
  return Object.entries(document.paths)
    .filter(([path]) => !without.some((beginning) => path.startsWith(beginning)))
    .flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { responses = {} }]) =>
        Object.entries(responses).flatMap(([status, { content = {} }]) =>
          Object.entries(content)
            .filter(([type, { examples }]) => !examples && !WITHOUT_EXAMPLE.test(type))
            .flatMap(([type, { schema = {} }]) =>
              missing(schema, '#').map((at) => `${method.toUpperCase()} ${path} ${status} ${type}: ${at}`),
            ),
        ),
      ),
    );
};
