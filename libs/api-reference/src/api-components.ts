type JsonSchema = Record<string, unknown>;

/**
 * Replaces each schema that has an `$id` by a reference to it, so that the document has it once, as a component.
 * @param components receives the schemas by `$id`
 */
export const extractComponents = (value: unknown, components: Map<string, object>): unknown => {
  if (Array.isArray(value)) return value.map((part) => extractComponents(part, components));
  if (typeof value !== 'object' || value === null) return value;
  const schema = simplifyUnion(
    Object.fromEntries(
      Object.entries(value).map(([key, part]) => [key, extractComponents(part, components)]),
    ),
  );
  const { $id } = schema;
  if (typeof $id !== 'string') return schema;
  components.set($id, schema);
  return { $ref: `${$id}#` };
};

/**
 * Writes a union in the form that client generators know: constants as `enum`, "or null" as a type. TypeBox writes both
 * as `anyOf`, from which openapi-python-client makes a union of classes, or nothing at all.
 */
const simplifyUnion = (schema: JsonSchema): JsonSchema => {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const members = anyOf as JsonSchema[];
  const isNull = ({ type }: JsonSchema): boolean => type === 'null';
  const others = members.filter((member) => !isNull(member));
  const orNull = others.length < members.length;
  const nullable = (type: unknown): unknown => (orNull ? [type, 'null'] : type);
  const [first] = others;
  if (first === undefined) return schema;
  if (others.every((member) => 'const' in member && member['type'] === first['type'])) {
    const values = others.map((member) => member['const']);
    return { ...rest, type: nullable(first['type']), enum: orNull ? [...values, null] : values };
  }
  if (others.length > 1 || typeof first['type'] !== 'string' || 'enum' in first) return schema;
  return { ...first, ...rest, type: nullable(first['type']) };
};
