import { tracingChannel } from 'node:diagnostics_channel';
import type { Span } from '@opentelemetry/api';
import type { Tracing } from '@workspace/service-kit';

/** What node-redis publishes of a command: `start` when it is called, `error` and `asyncEnd` when it is answered. */
interface RedisCommand {
  readonly command: string;
  readonly database: number;
  readonly serverAddress: string;
  readonly serverPort?: number;
  readonly error?: unknown;
}

const ignore = (): void => undefined;

/**
 * Records a client span for each Redis command that a request causes, from the events that node-redis itself publishes
 * (https://github.com/redis/node-redis, `node-redis:command`). Arguments are left out: keys and payloads are the callers'.
 */
export const recordRedisSpans = ({ api, tracer, active }: Tracing): void => {
  const spans = new WeakMap<RedisCommand, Span>();
  tracingChannel<'node-redis:command', RedisCommand>('node-redis:command').subscribe({
    start: (command) => {
      // Pings and logins belong to no request.
      const parent = active.getStore();
      if (!parent) return;
      const attributes = {
        'db.system.name': 'redis',
        'db.operation.name': command.command,
        'db.namespace': String(command.database),
        'server.address': command.serverAddress,
        ...(command.serverPort !== undefined && { 'server.port': command.serverPort }),
      };
      const options = { kind: api.SpanKind.CLIENT, attributes };
      spans.set(command, tracer.startSpan(command.command, options, parent));
    },
    error: (command) => {
      const span = spans.get(command);
      const name = command.error instanceof Error ? command.error.name : 'Error';
      span?.setAttribute('error.type', name);
      span?.setStatus({ code: api.SpanStatusCode.ERROR });
    },
    asyncEnd: (command) => spans.get(command)?.end(),
    asyncStart: ignore,
    end: ignore,
  });
};
