import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { EventHead } from '@expert-relay/contracts';
import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import { readJson, type ServiceClient } from '@expert-relay/kit/service-client';
import { parseEvent } from '../events/event-content.ts';

/** From the start of one reading to that of the next: so a revocation takes effect within 5 s, even if a reading takes 2 s. */
const intervalMs = 2_000;
/** After a reading that took longer, or failed. */
const leastPauseMs = 250;

/**
 * Reads the newest revocations from the requests service: those from before the start of this hub, and those that NATS does not
 * deliver while this hub or the leader of the outbox cannot reach it. Usually NATS delivers them sooner, also while requests is away.
 */
export function createRevocationPoll(options: {
  requests: ServiceClient;
  /** May get the same event several times. */
  onEvent: (event: EventHead) => void;
  /** Called after each reading. */
  onRead: () => void;
  log: Log;
}): Part {
  const { requests, onEvent, onRead, log } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Why they were not read; undefined when they were. */
  let away: string | undefined = 'not read yet';

  async function read(): Promise<void> {
    const response = await requests.call({
      method: 'GET',
      path: '/internal/revocations',
      principal: { kind: 'hub' },
      callId: randomUUID(),
    });
    const { events } = await readJson<{ events: readonly string[] }>(response);
    for (const bytes of events) {
      const event = parseEvent(Buffer.from(bytes, 'base64'));
      if (event) onEvent(event);
    }
    away = undefined;
    onRead();
  }

  async function readUntilStopped(): Promise<void> {
    while (!signal.aborted) {
      const startedAt = performance.now();
      try {
        await read();
      } catch (error) {
        if (signal.aborted) return;
        const { message: reason } = error as Error;
        if (away !== reason) log.warn({ reason }, 'revocations cannot be read: only NATS delivers them');
        away = reason;
      }
      const left = startedAt + intervalMs - performance.now();
      await pause(Math.max(left, leastPauseMs), undefined, { signal }).catch(() => {});
    }
  }

  return {
    name: 'revocation poll',
    dependency: { name: 'requests', away: () => away },
    async start() {
      void readUntilStopped();
    },
    async stop() {
      stopping.abort();
    },
  };
}
