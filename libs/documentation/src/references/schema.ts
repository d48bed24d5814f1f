/** A JSON Schema, of which any keyword may be there. */
export type Schema = Readonly<Record<string, unknown>>;

/** Text as code, in a cell of a table or elsewhere: Markdown splits cells at `|` even in code. */
export const code = (text: string): string => {
  const fence = text.includes('`') ? '``' : '`';
  const space = fence === '``' ? ' ' : '';
  return `${fence}${space}${text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('|', '\\|')}${space}${fence}`;
};

/** Prose of a document, which may have code in it: what looks like HTML outside of that is text. */
export const prose = (text: unknown): string =>
  String(text)
    .split(/(`[^`]*`)/)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replaceAll('<', '&lt;').replaceAll('{{', '&lbrace;&lbrace;'),
    )
    .join('')
    .replaceAll('\n', ' ')
    .replaceAll('|', '\\|');

/** A JSON value or a text as a block of code. */
export const fenced = (value: unknown): string =>
  typeof value === 'string'
    ? `\`\`\`text\n${value.trimEnd()}\n\`\`\``
    : `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

/** A table; nothing when it has no rows. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] =>
  rows.length === 0
    ? []
    : [[head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')];

export const details = (summary: string, ...content: readonly string[]): string =>
  ['::: details ' + summary, ...content, ':::'].join('\n\n');

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;
const schemas = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter(isSchema) : []);
const variantsOf = ({ anyOf, oneOf }: Schema): Schema[] => schemas(anyOf ?? oneOf);
const propertiesOf = (schema: Schema): [string, Schema][] =>
  Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);

/** Keywords that the type, the description or rows of their own show; all others are written as they are. */
const SHOWN = new Set(
  '$ref type format const enum items anyOf oneOf properties required additionalProperties title description examples example'.split(
    ' ',
  ),
);

/** The type of a value in a few words. */
export const typeOf = (schema: Schema): string => {
  const { $ref, type, format, items, enum: values } = schema;
  if (typeof $ref === 'string') return link($ref);
  if ('const' in schema) return code(JSON.stringify(schema['const']));
  if (Array.isArray(values)) return values.map((value) => code(JSON.stringify(value))).join(' or ');
  const variants = variantsOf(schema);
  if (variants.length > 0) return [...new Set(variants.map(typeOf))].join(' or ');
  if (isSchema(items)) return `array of ${typeOf(items)}`;
  const types = [type ?? 'any value'].flat().join(' or ');
  return typeof format === 'string' ? `${types} (${code(format)})` : types;
};

/** A reference as a link to the section of its schema on the same page. */
export const link = (reference: string): string => {
  const name = reference.split('/').at(-1)!;
  return `[${name}](#${name.toLowerCase()})`;
};

/** What a schema says of its value beside the type. */
export const meaningOf = (schema: Schema): string => {
  const { description, title, example, examples = [] } = schema;
  const limits = Object.entries(schema)
    .filter(([keyword]) => !SHOWN.has(keyword))
    .map(
      ([keyword, value]) => `${keyword} ${code(typeof value === 'string' ? value : JSON.stringify(value))}`,
    );
  const shown = [...(example === undefined ? [] : [example]), ...[examples as unknown[]].flat()].map((one) =>
    code(typeof one === 'string' ? one : JSON.stringify(one)),
  );
  const ofItems = isSchema(schema['items']) && !('$ref' in schema['items']) ? meaningOf(schema['items']) : '';
  return [
    ...(title === undefined ? [] : [prose(title)]),
    ...(description === undefined ? [] : [prose(description)]),
    ...(limits.length === 0 ? [] : [limits.join(', ')]),
    ...(shown.length === 0 ? [] : [`for example ${shown.join(', ')}`]),
    ...(schema['additionalProperties'] === false ? ['no other members'] : []),
    ...(ofItems === '' ? [] : [`each: ${ofItems}`]),
  ].join('; ');
};

/** Rows for the members of an object, and for those of objects in it, with their paths. */
const memberRows = (schema: Schema, path = ''): string[][] => {
  const required = (schema['required'] ?? []) as string[];
  const { items, additionalProperties } = schema;
  return [
    ...propertiesOf(schema).flatMap(([name, member]) => [
      [code(path + name), typeOf(member), required.includes(name) ? 'yes' : 'no', meaningOf(member)],
      ...memberRows(member, `${path}${name}.`),
    ]),
    ...(isSchema(additionalProperties)
      ? [
          [`${code(`${path}*`)}`, typeOf(additionalProperties), 'no', meaningOf(additionalProperties)],
          ...memberRows(additionalProperties, `${path}*.`),
        ]
      : []),
    ...(isSchema(items) ? memberRows(items, path === '' ? '[].' : path.replace(/\.$/, '[].')) : []),
    ...variantsOf(schema).flatMap((variant, index) => {
      const rows = memberRows(variant, path);
      const meaning = meaningOf(variant);
      return rows.length === 0 && meaning === ''
        ? []
        : [['', `**form ${index + 1}**: ${typeOf(variant)}`, '', meaning], ...rows];
    }),
  ];
};

/** A schema as paragraphs and a table of its members. */
export const schemaMarkdown = (schema: Schema): string[] => {
  const meaning = meaningOf(schema);
  return [
    `Type: ${typeOf(schema)}${meaning === '' ? '' : `; ${meaning}`}`,
    ...table(['Member', 'Type', 'Required', 'Meaning'], memberRows(schema)),
  ];
};
