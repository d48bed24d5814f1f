import { type TSchema, Type } from '@sinclair/typebox';
import { apiResponse, type Service } from '@workspace/service-kit';
import { LiveBody, OperationsHealth } from '../views/health.ts';

export interface HealthRouteNeeds {
  /** computed from what the background already knows, never by asking Kafka now */
  health: () => OperationsHealth;
}

const tags = ['service'];
const json = (description: string, body: TSchema): unknown =>
  apiResponse(description, {
    content: { 'application/json': body },
    headers: { 'Cache-Control': Type.Literal('no-store') },
  });

/** GET /health: whether submissions can be taken. GET /health/live: whether the process turns, whatever Kafka does. */
export const healthRoute = (app: Service, { health }: HealthRouteNeeds): void => {
  const schema = {
    operationId: 'health',
    tags,
    summary: 'Whether submissions are taken',
    response: {
      200: json('They are.', OperationsHealth),
      503: json('They are not; `kafka.error` says why.', OperationsHealth),
    },
  };
  app.get('/health', { schema }, async (_request, reply) => {
    const body = health();
    void reply.header('cache-control', 'no-store');
    return reply.code(body.status === 'down' ? 503 : 200).send(body);
  });
  const liveSchema = {
    operationId: 'live',
    tags,
    summary: 'Whether the process turns, whatever Kafka does',
    response: { 200: json('It does.', LiveBody) },
  };
  app.get('/health/live', { schema: liveSchema }, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'up' }),
  );
};
