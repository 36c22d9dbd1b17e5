import { type CommittedRequest, readTruth, type Truth } from '../verdict/read-truth.ts';
import type { ChaosStage } from './stage.ts';

const everyMs = 120_000;

/** What was committed since the start. Published events are removed after ten minutes, and a long run takes longer. */
export function collectTruth({ database, user }: Pick<ChaosStage, 'database' | 'user'>): {
  now(): Promise<Truth>;
  stop(): void;
} {
  const collected = new Map<string, CommittedRequest>();

  async function now(): Promise<Truth> {
    for (const [requestId, request] of await readTruth(database, user.userId)) {
      const known = collected.get(requestId)?.events ?? [];
      const keys = new Set(request.events.map(({ key }) => key));
      const events = [...known.filter(({ key }) => !keys.has(key)), ...request.events];
      collected.set(requestId, { ...request, events });
    }
    return collected;
  }

  const timer = setInterval(() => void now().catch(() => {}), everyMs);
  return { now, stop: () => clearInterval(timer) };
}
