import type { ExpertEvent } from '@expert-relay/sdk/expert';
import { filterOf, type Row, type Rows } from './rows.ts';

/** A new request, or an agent's message in one. */
export interface News {
  readonly kind: 'request' | 'message';
  readonly row: Row;
}

/** What events have said since the last read. They have no words of their own: these come with the read. */
export interface Heard {
  /** Requests in which an agent has asked or written. */
  readonly named: ReadonlyMap<string, News['kind']>;
  /** Whether events were missed: then what is newer than all that was known is news, too. */
  readonly isMissed: boolean;
}

export const heardNothing: Heard = { named: new Map(), isMissed: false };

export function hear({ named, isMissed }: Heard, event: ExpertEvent): Heard {
  if (event.type === 'unknown') return { named, isMissed: isMissed || event.isMissed };
  const { type, requestId, from } = event;
  if (type === 'new_request') return { named: new Map(named).set(requestId, 'request'), isMissed };
  if (type !== 'new_message' || from !== 'agent' || named.has(requestId)) return { named, isMissed };
  return { named: new Map(named).set(requestId, 'message'), isMissed };
}

/** The news in rows that were read, the oldest first. `known` are the rows of before. */
export function findNews(read: Rows, known: Rows, { named, isMissed }: Heard): News[] {
  const [newest] = known;
  const kindOf = ({ requestId, createdAt, lastActivityAt }: Row): News['kind'] | undefined => {
    if (!isMissed || !newest || lastActivityAt <= newest.lastActivityAt) return named.get(requestId);
    return createdAt > newest.lastActivityAt ? 'request' : 'message';
  };
  return read
    .filter((row) => filterOf(row) === 'waiting')
    .flatMap((row) => {
      const kind = kindOf(row);
      return kind ? { kind, row } : [];
    })
    .reverse();
}
