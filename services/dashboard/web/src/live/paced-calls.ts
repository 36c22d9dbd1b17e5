import type { ExpertEvent } from '@expert-relay/sdk/expert';
import type { Pace } from './pace.ts';

type Call = (event: ExpertEvent) => void;

/** Passes events on at the pace of calls: of several about one request, the newest. */
export function createPacedCalls(pace: Pace): { emit: Call; listen(call: Call): () => void } {
  const calls = new Set<Call>();
  return {
    emit(event) {
      if (calls.size === 0) return;
      const name = event.type === 'unknown' ? 'conversations' : `conversation:${event.requestId}`;
      // One place in the queue for all listeners: each looks only at its own request.
      pace.run(name, () => {
        for (const call of [...calls]) call(event);
      });
    },
    listen(call) {
      calls.add(call);
      return () => calls.delete(call);
    },
  };
}
