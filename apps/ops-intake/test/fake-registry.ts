import { createServer, type Server } from 'node:http';
import { json } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** A registry with as much of Confluent's API as the service and its tests use, held to the same suite as real ones. */
export interface FakeRegistry {
  readonly url: string;
  /** number of requests so far */
  readonly asked: number;
  /** answers with this status until it is undefined again */
  failWith: number | undefined;
  /** answers with this text, or not at all, until it is undefined again */
  answerWith: string | typeof SILENCE | undefined;
  close(): Promise<void>;
}

export const SILENCE = Symbol('silence');

interface Answer {
  status: number;
  body: object;
}

type JsonSchema = { maxItems?: number };

const problem = (code: number, message: string): Answer => ({
  status: code > 999 ? Math.floor(code / 100) : code,
  body: { error_code: code, message },
});

/** Of backward compatibility, it knows one rule: what was written may not be too long now. */
const isIncompatible = (old: JsonSchema, { maxItems = Infinity }: JsonSchema): boolean =>
  (old.maxItems ?? Infinity) > maxItems;

export const startFakeRegistry = async ({
  port = 0,
  login,
}: { port?: number; login?: string } = {}): Promise<FakeRegistry> => {
  const schemas: string[] = [];
  const subjects = new Map<string, string[]>();

  const answer = (path: string, { schema = '' }: { schema?: string }): Answer => {
    const byId = /^\/schemas\/ids\/(\d+)$/.exec(path);
    if (byId) {
      const found = schemas[Number(byId[1]) - 1];
      return found === undefined
        ? problem(40403, 'Schema not found')
        : { status: 200, body: { schema: found, schemaType: 'JSON' } };
    }
    const [, encoded = '', register] = /^\/subjects\/([^/]+)(\/versions)?$/.exec(path) ?? [];
    const subject = decodeURIComponent(encoded);
    const versions = subjects.get(subject);
    const id = (): Answer => ({ status: 200, body: { id: schemas.indexOf(schema) + 1 } });
    if (versions?.includes(schema)) return id();
    if (!register) {
      return versions
        ? problem(40403, 'Schema not found')
        : problem(40401, `Subject '${subject}' not found.`);
    }
    const parsed = JSON.parse(schema) as JsonSchema;
    if (!new Ajv2020({ strict: false }).validateSchema(parsed)) return problem(42201, 'Invalid JSON schema');
    const latest = versions?.at(-1);
    if (latest !== undefined && isIncompatible(JSON.parse(latest) as JsonSchema, parsed)) {
      return problem(409, 'Incompatible schema: the maximum number of items was decreased');
    }
    if (!schemas.includes(schema)) schemas.push(schema);
    subjects.set(subject, [...(versions ?? []), schema]);
    return id();
  };

  const registry = {
    url: '',
    asked: 0,
    failWith: undefined as number | undefined,
    answerWith: undefined as string | typeof SILENCE | undefined,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server: Server = createServer((request, response) => {
    void (async () => {
      registry.asked += 1;
      const body = request.method === 'POST' ? ((await json(request)) as object) : {};
      if (registry.answerWith === SILENCE) return;
      if (registry.answerWith !== undefined) return void response.end(registry.answerWith);
      const given = Buffer.from(request.headers.authorization?.slice(6) ?? '', 'base64').toString();
      const { status, body: reply } =
        registry.failWith !== undefined
          ? problem(registry.failWith, 'Primary not known')
          : login !== undefined && given !== login
            ? problem(401, 'Unauthorized')
            : answer(request.url ?? '', body);
      response.writeHead(status, { 'content-type': 'application/vnd.schemaregistry.v1+json' });
      response.end(JSON.stringify(reply));
    })();
  });
  server.listen(port, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  registry.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return registry;
};
