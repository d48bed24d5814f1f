import { type Static, type TObject, Type } from '@sinclair/typebox';
import { onlyWith, secret } from '@workspace/schemas';
import { httpUrl } from '@workspace/service-process';
import { milliseconds, optionalText } from '../../settings.ts';

export const settings = {
  SCHEMA_REGISTRY_URL: Type.Optional(
    httpUrl(
      'schema registry with Confluent’s API, in which the schema of the records is registered, see [Schema registry](schema-registry.md); none when unset',
      '?#',
    ),
  ),
  ...onlyWith('SCHEMA_REGISTRY_URL', {
    SCHEMA_REGISTRY_USERNAME: secret('user of the registry, or API key'),
    SCHEMA_REGISTRY_PASSWORD: secret('password of that user, or secret of that key'),
    SCHEMA_REGISTRY_SUBJECT: optionalText(
      'subject of the schema, in which `{type}` stands for its `ce_type`; when unset, the topic’s name and `-value`, or with several schemas the topic’s name and `-{type}`',
    ),
    SCHEMA_REGISTRY_REGISTER: Type.Boolean({
      default: true,
      description: 'register the schema when it is missing; set false where schemas are managed elsewhere',
    }),
    SCHEMA_REGISTRY_FRAMING: Type.Boolean({
      default: false,
      description:
        'write a zero byte and the id before each value, as Confluent’s serializers do: values are then no longer byte for byte what clients sent',
    }),
    SCHEMA_REGISTRY_TIMEOUT_MS: milliseconds(
      30_000,
      'milliseconds that a start waits for a registry that does not answer',
    ),
    SCHEMA_REGISTRY_FALLBACK_IDS: Type.Optional(
      Type.String({
        pattern: '^ *[^\\s,:]+:[0-9]{1,10} *(, *[^\\s,:]+:[0-9]{1,10} *)*$',
        description:
          'ids to start with when it does not answer in that time: comma-separated `schema:id`, such as `operations.v1:7`; the start fails when unset',
      }),
    ),
  }),
};
type Settings = Static<TObject<typeof settings>>;

/** The ids of `SCHEMA_REGISTRY_FALLBACK_IDS` by the name of the schema; `violations` has checked them. */
export const fallbackIds = ({
  SCHEMA_REGISTRY_FALLBACK_IDS: text = '',
}: Pick<Settings, 'SCHEMA_REGISTRY_FALLBACK_IDS'>): ReadonlyMap<string, number> =>
  new Map(
    text
      .split(',')
      .filter(Boolean)
      .map((pair) => pair.trim().split(':') as [string, string])
      .map(([name, id]) => [name, Number(id)]),
  );

/** The subject of the schema of records with this `ce_type`; `schemas` is how many are in use. */
export const subjectOf = (
  config: Pick<Settings, 'SCHEMA_REGISTRY_SUBJECT'> & { readonly KAFKA_TOPIC: string },
  type: string,
  schemas: number,
): string => {
  const byTopic = `${config.KAFKA_TOPIC}-${schemas > 1 ? '{type}' : 'value'}`;
  return (config.SCHEMA_REGISTRY_SUBJECT ?? byTopic).replaceAll('{type}', type);
};

/** What is wrong with several of them together, one sentence each. */
export const violations = (config: Settings): string[] => {
  const found: string[] = [];
  if (!config.SCHEMA_REGISTRY_USERNAME !== !config.SCHEMA_REGISTRY_PASSWORD) {
    found.push('SCHEMA_REGISTRY_USERNAME and SCHEMA_REGISTRY_PASSWORD must be set together');
  }
  const ids = fallbackIds(config);
  if (ids.size < (config.SCHEMA_REGISTRY_FALLBACK_IDS?.split(',').length ?? 0)) {
    found.push('SCHEMA_REGISTRY_FALLBACK_IDS must name each schema once');
  }
  if ([...ids.values()].some((id) => id >= 2 ** 32)) {
    found.push('SCHEMA_REGISTRY_FALLBACK_IDS must have ids below 4294967296');
  }
  return found;
};
