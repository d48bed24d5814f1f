import { escapeMarkup } from '@workspace/service-kit';
import { componentName, type Schema } from './open-api.ts';

/** Text of a description: what is between backticks is code. */
export const prose = (text: string): string => escapeMarkup(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

/** Text as it is, another value as JSON. */
const literal = (value: unknown): string =>
  `<code>${escapeMarkup(typeof value === 'string' && value ? value : JSON.stringify(value))}</code>`;

/** Labels of JSON Schema's keywords. `pattern` has none: the description says in words what it allows. */
const LIMITS: Readonly<Record<string, string>> = {
  minimum: 'at least',
  exclusiveMinimum: 'more than',
  maximum: 'at most',
  exclusiveMaximum: 'less than',
  minLength: 'minimum length',
  maxLength: 'maximum length',
  minItems: 'minimum items',
  maxItems: 'maximum items',
  const: 'always',
  default: 'default',
};

/** The type in words; a named schema is a link to its section. */
export const typeMarkup = (schema: Schema): string => {
  const { $ref, type, items, format, anyOf, oneOf, allOf } = schema;
  if ($ref !== undefined) {
    const name = escapeMarkup(componentName($ref));
    return `<a href="#schema-${name}">${name}</a>`;
  }
  const union = anyOf ?? oneOf;
  if (union) return [...new Set(union.map(typeMarkup))].join(' or ');
  if (allOf) return allOf.map(typeMarkup).join(' and ');
  if (items) return `array of ${typeMarkup(items)}`;
  const words = [type ?? 'any value'].flat().join(' or ');
  return escapeMarkup(typeof format === 'string' ? `${words} (${format})` : words);
};

/** Description, allowed values, limits and examples. */
export const factsMarkup = (schema: Schema, description = schema.description): string => {
  const { enum: values, examples = [] } = schema;
  const limits = Object.entries(LIMITS).flatMap(([keyword, words]) =>
    schema[keyword] === undefined ? [] : [`${words} ${literal(schema[keyword])}`],
  );
  const facts = [
    ...(values ? [`one of ${values.map(literal).join(', ')}`] : []),
    ...limits,
    ...(examples.length > 0 ? [`for example ${examples.map(literal).join(', ')}`] : []),
  ];
  return [
    ...(description === undefined ? [] : [`<p>${prose(description)}</p>`]),
    ...(facts.length > 0 ? [`<p class="soft">${facts.join(' · ')}</p>`] : []),
  ].join('');
};

/** A name, its type and what is known of it. */
export const memberMarkup = (name: string, schema: Schema, notes: readonly string[] = []): string =>
  `<li><b><code>${escapeMarkup(name)}</code></b> <span class="type">${[typeMarkup(schema), ...notes].join(' · ')}</span>${factsMarkup(schema)}${membersMarkup(schema)}</li>`;

/** The members of an object, of the items of an array, or of the alternatives of a union. */
export const membersMarkup = (schema: Schema): string => {
  const { properties = {}, required = [], additionalProperties, items, anyOf, oneOf, allOf } = schema;
  const alternatives = (anyOf ?? oneOf ?? allOf ?? []).filter((one) => one.properties ?? one.items);
  const members = [
    ...Object.entries(properties).map(([name, member]) =>
      memberMarkup(name, member, required.includes(name) ? [] : ['optional']),
    ),
    ...(typeof additionalProperties === 'object'
      ? [memberMarkup('…', additionalProperties, ['any name'])]
      : []),
    ...alternatives.map((one, index) => `<li>${index + 1}. ${schemaMarkup(one)}</li>`),
  ];
  const own = members.length > 0 ? `<ul class="members">${members.join('')}</ul>` : '';
  return own + (items ? membersMarkup(items) : '');
};

/** A schema: its type, facts and members. */
export const schemaMarkup = (schema: Schema): string =>
  `<span class="type">${typeMarkup(schema)}</span>${factsMarkup(schema)}${membersMarkup(schema)}`;
