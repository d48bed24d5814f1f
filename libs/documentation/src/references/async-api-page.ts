import { code, fenced, link, prose, type Schema, schemaMarkdown, table } from './schema.ts';

interface Reference {
  readonly $ref: string;
}
interface Message {
  readonly name: string;
  readonly title: string;
  readonly contentType: string;
  readonly headers: Schema;
  readonly payload: Schema;
  readonly bindings: { readonly kafka: { readonly key: Schema; readonly bindingVersion: string } };
  readonly examples: readonly {
    readonly name: string;
    readonly payload: unknown;
    readonly headers: unknown;
  }[];
}

/** AsyncAPI 3.0, of a topic in Kafka. */
export interface AsyncApiDocument {
  readonly asyncapi: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly url: string };
  };
  readonly defaultContentType: string;
  readonly servers: Readonly<
    Record<string, { readonly host: string; readonly protocol: string; readonly description: string }>
  >;
  readonly channels: Readonly<
    Record<
      string,
      {
        readonly address: string;
        readonly description: string;
        readonly messages: Readonly<Record<string, Reference>>;
        readonly bindings: { readonly kafka: Readonly<Record<string, unknown>> };
      }
    >
  >;
  readonly operations: Readonly<
    Record<
      string,
      {
        readonly action: string;
        readonly channel: Reference;
        readonly summary: string;
        readonly messages: readonly Reference[];
      }
    >
  >;
  readonly components: { readonly messages: Readonly<Record<string, Message>> };
}

const links = (references: readonly Reference[]): string =>
  references.map(({ $ref }) => link($ref)).join(', ');
const bindings = (all: Readonly<Record<string, unknown>>): string =>
  Object.entries(all)
    .map(([name, value]) => `${name} ${code(String(value))}`)
    .join(', ');

/** The reference of the records in a topic as a page in Markdown. */
export const asyncApiPage = ({ asyncapi, info, defaultContentType, ...document }: AsyncApiDocument): string =>
  [
    `# Records of ${info.title}`,
    prose(info.description),
    `Version ${info.version}, licence [${info.license.name}](${info.license.url}). Records are ${code(defaultContentType)} unless they say otherwise. The same for programs: <a href="./asyncapi.json" target="_self">AsyncAPI ${asyncapi} as JSON</a>, <a href="./asyncapi.yaml" target="_self">as YAML</a>.`,
    '## Servers',
    'Those of the default settings; an instance names its own at `/asyncapi.json`.',
    ...table(
      ['Server', 'Address', 'Protocol', 'Meaning'],
      Object.entries(document.servers).map(([name, { host, protocol, description }]) => [
        code(name),
        code(host),
        code(protocol),
        prose(description),
      ]),
    ),
    '## Channels',
    ...table(
      ['Channel', 'Topic', 'Messages', 'Meaning', 'Kafka'],
      Object.entries(document.channels).map(([name, channel]) => [
        code(name),
        code(channel.address),
        links(Object.values(channel.messages)),
        prose(channel.description),
        bindings(channel.bindings.kafka),
      ]),
    ),
    '## Operations',
    ...table(
      ['Operation', 'Action', 'Channel', 'Messages', 'Meaning'],
      Object.entries(document.operations).map(([name, { action, channel, messages, summary }]) => [
        code(name),
        code(action),
        code(channel.$ref.split('/').at(-1)!),
        links(messages),
        prose(summary),
      ]),
    ),
    '## Messages',
    ...Object.entries(document.components.messages).flatMap(([name, message]) => [
      `### ${name}`,
      `${prose(message.title)}: ${code(message.name)}, ${code(message.contentType)}.`,
      '#### Key',
      ...schemaMarkdown(message.bindings.kafka.key),
      `Kafka binding ${code(message.bindings.kafka.bindingVersion)}.`,
      '#### Headers',
      ...schemaMarkdown(message.headers),
      '#### Value',
      ...schemaMarkdown(message.payload),
      ...message.examples.flatMap((example) => [
        `#### Example ${code(example.name)}`,
        'Value:',
        fenced(example.payload),
        'Headers:',
        fenced(example.headers),
      ]),
    ]),
  ]
    .join('\n\n')
    .concat('\n');
