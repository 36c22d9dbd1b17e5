const oldest = [6, 2];

/** What about a Redis (its answer to INFO) does not do for BullMQ, as a sentence; `undefined` when all is fine. */
export function redisComplaint(info: string): string | undefined {
  const version = field(info, 'redis_version');
  if (version !== undefined && isOlder(version)) {
    return `Redis is version ${version}, the queue needs ${oldest.join('.')} or newer. Upgrade it, or set another REDIS_URL.`;
  }
  const policy = field(info, 'maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction') {
    return (
      `Redis evicts keys when its memory is full (maxmemory-policy is ${policy}), and would drop jobs without a word. ` +
      'Set it to noeviction: `redis-cli CONFIG SET maxmemory-policy noeviction`, and in redis.conf so that it stays.'
    );
  }
  return undefined;
}

function field(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldest;
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}
