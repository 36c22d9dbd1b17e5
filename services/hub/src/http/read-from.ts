import type { IncomingMessage } from 'node:http';
import { noCheck, parsePosition } from '../feed/position.ts';
import type { From } from '../resume/resumption.ts';

/**
 * Where a call wants to go on; undefined to begin now. The header comes first: a browser repeats the address of
 * its first call for ever, but tells in the header how far it has come since.
 */
export function readFrom(request: IncomingMessage, query: URLSearchParams): From | undefined {
  const header = request.headers['last-event-id'];
  const text = (header && String(header)) || query.get('lastEventId') || query.get('last_event_id');
  if (!text) return undefined;
  if (text === 'earliest') return 'earliest';
  // What no hub has given out is a place that is gone.
  return parsePosition(text) ?? { epoch: '', seq: 0, check: noCheck };
}
