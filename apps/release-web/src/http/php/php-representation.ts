import { Representation } from '../rendering/representation.ts';
import { phpJson } from './php-json.ts';
import { phpSerialize } from './php-serialize.ts';
import type { PhpValue } from './php-value.ts';

/** PHP's two ways to write a value. */
export const PHP_ENCODERS = { json: phpJson, serialize: phpSerialize } as const;
export type PhpFormat = keyof typeof PHP_ENCODERS;

const MEDIA_TYPES = { json: 'application/json; charset=UTF-8', serialize: 'text/plain; charset=UTF-8' };

/** A value as PHP writes JSON. */
export const jsonRepresentation = (value: PhpValue): Representation =>
  new Representation(MEDIA_TYPES.json, phpJson(value)).popular();

/** A value in both formats. @param types media type by format */
export const phpRepresentations = (
  value: PhpValue,
  types: Readonly<Record<PhpFormat, string>> = MEDIA_TYPES,
): Readonly<Record<PhpFormat, Representation>> => ({
  json: new Representation(types.json, phpJson(value)).popular(),
  serialize: new Representation(types.serialize, phpSerialize(value)).popular(),
});
