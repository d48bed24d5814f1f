export { type PostgresServer, startPostgres } from './postgres-server.ts';
export {
  MASTER_NAME,
  type RedisGroup,
  startRedisCluster,
  startSentinels,
  valkeyProgram,
} from './redis-groups.ts';
export { type RedisServer, startRedis } from './redis-server.ts';
