import type { Api } from '@expert-relay/contracts';
import {
  empty,
  noteColumns,
  ownedBy,
  type Party,
  publicKeyColumns,
  type Query,
  type RequestContent,
  type RequestNotes,
  refCodeColumn,
  sql,
  statusNow,
  submissionColumns,
  withoutAbsent,
} from '@expert-relay/db';
import { Problem } from '@expert-relay/kit/problem';

interface Row extends Partial<RequestContent>, RequestNotes, Omit<Api.RequestState, 'requestId'> {
  id: string;
  seq: number;
  contentBytes: number;
  question?: string | null;
  agent?: Api.Agent;
  erasedAt: string | null;
}

const agent = sql`(
  SELECT json_build_object('keyId', api_keys.id, 'name', api_keys.name)
  FROM api_keys WHERE api_keys.id = consumer_key_id) AS agent,`;

/**
 * Reads a conversation without its messages. `seq` is the number of the last change, `contentBytes` the size of all
 * messages. A session gets the submission only with the first page. A key gets it with each page, since the SDK checks pages
 * independently.
 */
export async function readHead(query: Query, party: Party, requestId: string, after = 0) {
  const isSession = party.kind === 'session';
  const [row] = await query<Row>`
    SELECT id, ${refCodeColumn}, ${statusNow} AS status, seq, content_bytes AS "contentBytes",
      response_count AS "responseCount",
      created_at AS "createdAt", expires_at AS "expiresAt", ${noteColumns},
      ${isSession && after > 0 ? empty : sql`question, ${submissionColumns},`} ${isSession ? agent : empty}
      ${publicKeyColumns}, erased_at AS "erasedAt"
    FROM help_requests
    WHERE id = ${requestId} AND ${ownedBy(party)}`;
  if (!row) throw new Problem('not_found');
  const { id, seq, contentBytes, ...rest } = row;
  return {
    seq,
    contentBytes,
    head: withoutAbsent({ requestId: id, ...rest }),
  };
}
