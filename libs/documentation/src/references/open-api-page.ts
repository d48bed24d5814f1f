import {
  code,
  details,
  fenced,
  link,
  meaningOf,
  prose,
  type Schema,
  schemaMarkdown,
  table,
  typeOf,
} from './schema.ts';

interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>;
}
type Content = Readonly<Record<string, Media>>;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly description?: string;
  readonly example?: unknown;
  readonly examples?: unknown;
}

interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, { readonly description?: string; readonly schema: Schema }>>;
  readonly content?: Content;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly description?: string;
    readonly content: Content;
  };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    /** where the interface has a version of its own */
    readonly 'x-software-version'?: string;
    readonly description: string;
    readonly license: { readonly name: string };
  };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses?: Readonly<Record<string, Response>>;
  };
}

/** The reference of an HTTP interface as a page in Markdown. */
export const openApiPage = (document: OpenApiDocument): string => {
  const { info, tags, paths, components } = document;
  const software = info['x-software-version'];
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      ...operation,
    })),
  );
  return [
    `# API reference of ${info.title}`,
    prose(info.description),
    `Version ${info.version}${software === undefined ? '' : ` of the interface, ${software} of the software`}, licence ${info.license.name}. Paths begin at the address of your instance. This page shows what the service says of itself with its default settings; an instance shows its own at \`/docs\`. The same for programs: <a href="./openapi.json" target="_self">OpenAPI ${document.openapi} as JSON</a>, <a href="./openapi.yaml" target="_self">as YAML</a>.`,
    ...tags.flatMap(({ name, description }) => [
      `## ${name}`,
      prose(description),
      ...operations.filter(({ tags }) => tags.includes(name)).flatMap(operationMarkdown),
    ]),
    '## Problems',
    'Answers that several operations share.',
    ...Object.entries(components.responses ?? {}).flatMap(([name, response]) => [
      `### ${name}`,
      ...responseMarkdown(response),
    ]),
    '## Schemas',
    ...Object.entries(components.schemas).flatMap(([name, schema]) => [
      `### ${name}`,
      ...schemaMarkdown(schema),
    ]),
  ]
    .join('\n\n')
    .concat('\n');
};

const operationMarkdown = (operation: Operation & { path: string; method: string }): string[] => {
  const { method, path, summary, description, operationId, parameters = [], requestBody } = operation;
  const responses = Object.entries(operation.responses);
  return [
    `### ${code(`${method} ${path}`)}`,
    `${prose(summary)}. Operation ${code(operationId)}.`,
    ...(description === undefined ? [] : [prose(description)]),
    ...table(
      ['Parameter', 'In', 'Type', 'Required', 'Meaning'],
      parameters.map((parameter) => [
        code(parameter.name),
        parameter.in,
        typeOf(parameter.schema),
        parameter.required ? 'yes' : 'no',
        parameterMeaning(parameter),
      ]),
    ),
    ...(requestBody === undefined
      ? []
      : [
          `**Body**${requestBody.required ? '' : ', not required'}`,
          ...(requestBody.description === undefined ? [] : [prose(requestBody.description)]),
          ...contentMarkdown(requestBody.content),
        ]),
    ...table(
      ['Answer', 'Body', 'Meaning'],
      responses.map(([status, { $ref, description = '', content = {} }]) => [
        status,
        $ref ? '' : Object.keys(content).map(code).join(' or '),
        $ref ? link($ref) : prose(description),
      ]),
    ),
    ...responses
      .filter(([, { $ref, headers, content }]) => $ref === undefined && (headers ?? content) !== undefined)
      .map(([status, response]) => details(`Answer ${status}`, ...responseMarkdown(response))),
  ];
};

/** A parameter may say the same as its schema does, or more. */
const parameterMeaning = ({ schema, description, example, examples }: Parameter): string =>
  meaningOf({
    ...schema,
    ...(description !== undefined && { description }),
    ...(example !== undefined && { example }),
    ...(examples !== undefined && { examples: valuesOf(examples) }),
  });

/** Examples of OpenAPI have names; those of JSON Schema have none. */
const valuesOf = (examples: unknown): unknown[] =>
  Array.isArray(examples)
    ? examples
    : Object.values(examples as Record<string, { value: unknown }>).map(({ value }) => value);

const responseMarkdown = ({ description = '', headers = {}, content = {} }: Response): string[] => [
  prose(description),
  ...table(
    ['Header', 'Type', 'Meaning'],
    Object.entries(headers).map(([name, { description, schema }]) => [
      code(name),
      typeOf(schema),
      meaningOf({ ...schema, ...(description !== undefined && { description }) }),
    ]),
  ),
  ...contentMarkdown(content),
];

const contentMarkdown = (content: Content): string[] =>
  Object.entries(content).flatMap(([type, { schema = {}, example, examples = {} }]) => [
    `Media type ${code(type)}`,
    ...schemaMarkdown(schema),
    ...(example === undefined ? [] : [fenced(example)]),
    ...Object.entries(examples).flatMap(([name, { summary, value }]) => [
      `Example ${code(name)}${summary === undefined ? '' : `: ${prose(summary)}`}`,
      fenced(value),
    ]),
  ]);
