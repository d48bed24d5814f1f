// A bare Fastify that answers each URL as ANSWERS_FILE says, in JSON; with KAFKA_BOOTSTRAP_SERVERS, a POST once kafkajs has written its body
// to KAFKA_TOPIC.
import { readFileSync } from 'node:fs';
import Fastify from 'fastify';
import { Kafka, logLevel } from 'kafkajs';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const answers = JSON.parse(readFileSync(process.env['ANSWERS_FILE'] ?? '', 'utf8')) as Record<string, Answer>;
const brokers = process.env['KAFKA_BOOTSTRAP_SERVERS'];
const topic = process.env['KAFKA_TOPIC'] ?? '';
const producer =
  brokers === undefined ? undefined : new Kafka({ brokers: [brokers], logLevel: logLevel.ERROR }).producer();
await producer?.connect();
const app = Fastify({ bodyLimit: 2 * 1024 * 1024 });
app.route({
  method: ['GET', 'POST'],
  url: '*',
  handler: (request, reply) => {
    const answer = answers[request.url];
    if (!answer) return reply.code(404).send();
    reply.code(answer.status).headers(answer.headers);
    if (!producer || request.method !== 'POST') return reply.send(answer.body);
    const messages = [{ value: JSON.stringify(request.body) }];
    return producer.send({ topic, messages }).then(() => reply.send(answer.body));
  },
});
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
