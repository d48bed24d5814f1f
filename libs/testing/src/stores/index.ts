export { type PostgresServer, startPostgres } from './postgres-server.ts';
export { type RedisServer, startRedis } from './redis-server.ts';
