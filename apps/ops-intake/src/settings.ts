import { Type } from '@sinclair/typebox';

/** A setting in milliseconds, up to an hour. */
export const milliseconds = (value: number, description: string, minimum = 1) =>
  Type.Integer({ default: value, minimum, maximum: 3_600_000, description });

/** A setting that counts something, at least 1. */
export const count = (value: number, description: string, maximum = 1_000_000_000) =>
  Type.Integer({ default: value, minimum: 1, maximum, description });

/** A text that may be unset. */
export const optionalText = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, description }));

/** What Kafka takes as the name of a topic, as a regular expression. */
export const TOPIC_NAME = '^(?!\\.{1,2}$)[a-zA-Z0-9._-]{1,249}$';
