export { type RedisServer, startRedis } from './redis-server.ts';
