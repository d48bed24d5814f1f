import type { Service } from '@workspace/service-kit';
import { LiveBody, OperationsHealth } from '../views/health.ts';

export interface HealthRouteNeeds {
  /** computed from what the background already knows, never by asking Kafka now */
  health: () => OperationsHealth;
}

/** GET /health: whether submissions can be taken. GET /health/live: whether the process turns, whatever Kafka does. */
export const healthRoute = (app: Service, { health }: HealthRouteNeeds): void => {
  const schema = { response: { 200: OperationsHealth, 503: OperationsHealth } };
  app.get('/health', { schema }, async (_request, reply) => {
    const body = health();
    void reply.header('cache-control', 'no-store');
    return reply.code(body.status === 'down' ? 503 : 200).send(body);
  });
  app.get('/health/live', { schema: { response: { 200: LiveBody } } }, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'up' }),
  );
};
