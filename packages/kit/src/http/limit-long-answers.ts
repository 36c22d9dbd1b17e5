import type { ServerResponse } from 'node:http';
import type { Principal } from '../principal/index.ts';
import { Problem } from '../problem/index.ts';

/** In bytes. What is longer than this may wait in memory until a slow client takes it. */
export const longAnswer = 65_536;

/** Counts a long answer until the response closes; throws if the caller receives too many of them already. */
export type LongAnswerLimit = (caller: Principal, response: ServerResponse) => void;

/** Limits how many long answers one key or session receives at the same time; 0 = no limit. */
export function limitLongAnswers(limit: number): LongAnswerLimit {
  const open = new Map<string, number>();

  return (caller, response) => {
    const id = idOf(caller);
    // A response that has closed already does not emit `close` again.
    if (limit === 0 || id === undefined || response.closed) return;
    const count = open.get(id) ?? 0;
    if (count >= limit) {
      throw new Problem('too_many_at_once', {
        detail: `${limit} long answers are being sent to this key or session. Read them to their end first, or wait as long as \`Retry-After\` says.`,
        headers: { 'retry-after': '60' },
      });
    }
    open.set(id, count + 1);
    response.once('close', () => {
      const left = (open.get(id) ?? 0) - 1;
      if (left > 0) open.set(id, left);
      else open.delete(id);
    });
  };
}

/** Callers without a key or a session get no long answers. */
function idOf(caller: Principal): string | undefined {
  if ('apiKeyId' in caller) return caller.apiKeyId;
  return 'sessionId' in caller ? caller.sessionId : undefined;
}
