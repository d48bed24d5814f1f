/**
 * What PHP calls an array of scalars. A `Map` keeps keys like `"8"` in the order they were set; a plain object may be
 * used where no key looks like an integer (JavaScript would move such keys to the front).
 */
export type PhpValue =
  | null
  | boolean
  | number
  | string
  | readonly PhpValue[]
  | ReadonlyMap<string, PhpValue>
  | { readonly [member: string]: PhpValue | undefined };

/** The members of a PHP array in order; a list's keys are `"0"`, `"1"`, … */
export const entriesOf = (value: object): [string, PhpValue][] =>
  value instanceof Map
    ? [...(value as ReadonlyMap<string, PhpValue>)]
    : Object.entries(value as Record<string, PhpValue | undefined>).filter(
        (entry): entry is [string, PhpValue] => entry[1] !== undefined,
      );

/** PHP turns a key into an integer when it reads exactly like one. */
export const isIntegerKey = (key: string): boolean =>
  /^(0|-?[1-9]\d*)$/.test(key) && Number.isSafeInteger(Number(key));
