import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type { Principal } from '@expert-relay/kit/principal';
import type { Query } from '../postgres/query.ts';

export interface KeyUsage extends Part {
  /** Records that a key was used. Postgres gets the time later. */
  note(principal: Principal): void;
}

const writeIntervalMs = 5_000;

/** Writes when keys were last used: every five seconds for all keys together, and at most once a minute for each. */
export function createKeyUsage(options: { query: Query; log: Log }): KeyUsage {
  const { query, log } = options;
  let used = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  async function write(): Promise<void> {
    if (used.size === 0) return;
    const ids = [...used];
    used = new Set();
    try {
      await query`
        UPDATE api_keys SET last_used_at = now()
        WHERE id = ANY(${ids}::uuid[])
          AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`;
    } catch (error) {
      for (const id of ids) used.add(id);
      log.warn({ err: error }, 'could not write when keys were last used');
    }
  }

  return {
    name: 'key usage',
    note(principal) {
      if (principal.kind === 'consumer' || principal.kind === 'provider') used.add(principal.apiKeyId);
    },
    async start() {
      timer = setInterval(() => void write(), writeIntervalMs).unref();
    },
    async stop() {
      clearInterval(timer);
      await write();
    },
  };
}
