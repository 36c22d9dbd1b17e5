import type { ExpertEvent } from '@expert-relay/sdk/expert';
import type { Pace } from './pace.ts';

type Call = (event: ExpertEvent) => void;

/** Emits events at the pace of calls: of several events about one request only the newest. */
export function createPacedCalls(pace: Pace): { emit: Call; listen(call: Call): () => void } {
  const calls = new Set<Call>();
  /** Events that were not emitted yet, by request. */
  let newest = new Map<string, ExpertEvent>();
  return {
    emit(event) {
      if (calls.size === 0) return;
      newest.set(event.type === 'unknown' ? '' : event.requestId, event);
      // One place in the queue for all requests: those that are not open must not delay the one that is.
      pace.run('conversations', () => {
        const events = [...newest.values()];
        newest = new Map();
        for (const each of events) for (const call of [...calls]) call(each);
      });
    },
    listen(call) {
      calls.add(call);
      return () => calls.delete(call);
    },
  };
}
