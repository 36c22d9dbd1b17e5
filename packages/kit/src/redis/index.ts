export { createRedis, type RedisConnection } from './create-redis.ts';
