import type { Query } from '@expert-relay/db';
import type { Pieces } from '@expert-relay/kit/http';
import type { readHead } from './read-head.ts';
import { messageText, pageBytes, readPage, readSmallPage } from './read-messages.ts';

/** The number of messages of a page, for conversations of many small ones. */
const pageLength = 200;

/** In characters of JSON. A response with `limit` ends after the page that reaches this length. */
export const maxResponseLength = 1_048_576;

/**
 * Yields a conversation as JSON, a page of messages at a time. Each page is read when the caller asks for it, so a slow
 * reader does not fill the memory. With `limit`, the response may end early and then has `next`; otherwise it is complete.
 */
export async function* conversationPieces(
  query: Query,
  { head, seq, contentBytes }: Awaited<ReturnType<typeof readHead>>,
  { after, limit }: { after: number; limit?: number | undefined },
): Pieces {
  const read = contentBytes > pageBytes ? readPage : readSmallPage;
  let text = `${JSON.stringify(head).slice(0, -1)},"messages":[`;
  let last = after;
  let remaining = limit ?? Number.MAX_SAFE_INTEGER;
  let remainingLength = limit === undefined ? Number.POSITIVE_INFINITY : maxResponseLength;
  let separator = '';
  for (;;) {
    const { rows, hasMore } = await read(query, {
      requestId: head.requestId,
      after: last,
      upTo: seq,
      limit: Math.min(remaining, pageLength),
    });
    for (const row of rows) {
      text += separator + messageText(row);
      separator = ',';
      last = row.seq;
    }
    remaining -= rows.length;
    remainingLength -= text.length;
    if (!hasMore) return `${text}]}`;
    if (remaining === 0 || remainingLength <= 0) return `${text}],"next":${last}}`;
    yield text;
    text = '';
  }
}
