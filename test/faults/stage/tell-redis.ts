import { converse } from '../../../scripts/servers/conversation.ts';

/** One command, as somebody at `redis-cli` would type it; gives the answer's first line without its mark. */
export async function tellRedis(url: string, ...words: string[]): Promise<string> {
  const redis = await converse(new URL(url), { port: 6379, tls: false, within: 8_000 });
  try {
    redis.send(`${words.join(' ')}\r\n`);
    const answer = await redis.until(/\r\n/);
    if (answer.startsWith('-')) throw new Error(`Redis refused ${words[0]}: ${answer.slice(1).trim()}`);
    return answer.slice(1).split('\r\n')[0] ?? '';
  } finally {
    redis.close();
  }
}
