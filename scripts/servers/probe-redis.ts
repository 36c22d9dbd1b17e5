import { converse } from './conversation.ts';
import { findVersion } from './version.ts';

/** Signs in as the address says and asks for the version, in Redis' own protocol. */
export async function probeRedis(url: URL): Promise<string> {
  const redis = await converse(url, { port: 6379, tls: url.protocol === 'rediss:', within: 8_000 });
  try {
    const [user, password] = [url.username, url.password].map(decodeURIComponent);
    if (password) {
      redis.send(command('AUTH', ...(user ? [user] : []), password));
      const answer = await redis.until(/^(\+OK|-.*)\r\n/);
      if (answer.startsWith('-')) throw new Error('it refused the password');
    }
    redis.send(command('INFO', 'server'));
    const answer = await redis.until(/redis_version:.*\r\n|(^|\n)-.*\r\n/);
    const refusal = /(?:^|\n)-(.*)\r\n/.exec(answer)?.[1];
    if (refusal) throw new Error(refusal);
    return findVersion(/redis_version:(.*)/.exec(answer)?.[1] ?? '') ?? 'unknown';
  } finally {
    redis.close();
  }
}

function command(...words: string[]): string {
  return [`*${words.length}`, ...words.flatMap((word) => [`$${Buffer.byteLength(word)}`, word]), ''].join(
    '\r\n',
  );
}
