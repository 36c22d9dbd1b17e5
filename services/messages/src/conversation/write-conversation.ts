import type { Query } from '@expert-relay/db';
import type { readHead } from './read-head.ts';
import { messageText, pageBytes, readLargeMessages, readMessages } from './read-messages.ts';

/** Read and sent so many at a time: a full conversation never stands in memory as a whole. */
const pageSize = 200;

/** A conversation as JSON in pieces, with `next` when `limit` cut it. */
export async function* writeConversation(
  query: Query,
  { head, seq, contentBytes }: Awaited<ReturnType<typeof readHead>>,
  { after, limit }: { after: number; limit: number },
): AsyncGenerator<string> {
  let text = `${JSON.stringify(head).slice(0, -1)},"messages":[`;
  let last = after;
  let left = limit;
  let separator = '';
  for (;;) {
    // One row beyond what is wanted tells whether there is more.
    const wanted = Math.min(left, pageSize);
    const range = { requestId: head.requestId, after: last, upTo: seq, limit: wanted + 1 };
    const { rows, wasCut } =
      contentBytes > pageBytes
        ? await readLargeMessages(query, range)
        : { rows: await readMessages(query, range), wasCut: false };
    for (const row of rows.slice(0, wanted)) {
      text += separator + messageText(row);
      separator = ',';
      last = row.seq;
      left--;
    }
    const more = rows.length > wanted;
    if (more && left === 0) {
      yield `${text}],"next":${last}}`;
      return;
    }
    if (!more && !wasCut) break;
    yield text;
    text = '';
  }
  yield `${text}]}`;
}
