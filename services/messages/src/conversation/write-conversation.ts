import type { Query } from '@expert-relay/db';
import type { Pieces } from '@expert-relay/kit/http';
import type { readHead } from './read-head.ts';
import { messageText, pageBytes, readPage, readSmallPage } from './read-messages.ts';

/** In messages, for conversations of many tiny ones. */
const pageLength = 200;

/** In characters of JSON: an answer to a call with `limit` ends with the page of messages that reaches this. */
export const answerLength = 1_048_576;

/**
 * A conversation as JSON, with `next` when `limit` or the length cut it. Without `limit` it is always whole. Each piece is a page of messages, which is read when
 * the piece is asked for: what nobody takes stays in Postgres.
 */
export async function* writeConversation(
  query: Query,
  { head, seq, contentBytes }: Awaited<ReturnType<typeof readHead>>,
  { after, limit }: { after: number; limit?: number | undefined },
): Pieces {
  const read = contentBytes > pageBytes ? readPage : readSmallPage;
  let text = `${JSON.stringify(head).slice(0, -1)},"messages":[`;
  let last = after;
  let left = limit ?? Number.MAX_SAFE_INTEGER;
  let room = limit === undefined ? Number.POSITIVE_INFINITY : answerLength;
  let separator = '';
  for (;;) {
    const { rows, hasMore } = await read(query, {
      ...{ requestId: head.requestId, after: last, upTo: seq },
      limit: Math.min(left, pageLength),
    });
    for (const row of rows) {
      text += separator + messageText(row);
      separator = ',';
      last = row.seq;
    }
    left -= rows.length;
    room -= text.length;
    if (!hasMore) return `${text}]}`;
    if (left === 0 || room <= 0) return `${text}],"next":${last}}`;
    yield text;
    text = '';
  }
}
