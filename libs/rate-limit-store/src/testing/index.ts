export { type RedisServer, redisInstalled, startRedis } from './redis-server.ts';
