import {
  empty,
  formatRefCode,
  ownedBy,
  type Party,
  type Query,
  type RequestStatus,
  sql,
  statusNow,
} from '@expert-relay/db';
import { Problem } from '@expert-relay/kit/problem';

interface Row {
  id: string;
  refCode: string;
  status: RequestStatus;
  seq: number;
  contentBytes: number;
  responseCount: number;
  createdAt: string;
  expiresAt: string;
  question?: string | null;
  plaintext?: string | null;
  context?: unknown;
  answerForm?: string | null;
  agentName?: string | null;
  agentVersions?: string | null;
  agent?: { keyId: string; name: string };
  consumerSignPubKey: string | null;
  consumerEncryptPubKey: string | null;
  providerSignPubKey: string | null;
  providerEncryptPubKey: string | null;
  keySignature: string | null;
  erasedAt: string | null;
}

const submission = sql`
  question, plaintext, context, answer_form AS "answerForm", agent_name AS "agentName", agent_versions AS "agentVersions",`;

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
    SELECT id, ref_code AS "refCode", ${statusNow} AS status, seq, content_bytes AS "contentBytes",
      response_count AS "responseCount",
      created_at AS "createdAt", expires_at AS "expiresAt",
      ${isSession && after > 0 ? empty : submission} ${isSession ? agent : empty}
      consumer_sign_pub_key AS "consumerSignPubKey", consumer_encrypt_pub_key AS "consumerEncryptPubKey",
      provider_sign_pub_key AS "providerSignPubKey", provider_encrypt_pub_key AS "providerEncryptPubKey",
      key_signature AS "keySignature", erased_at AS "erasedAt"
    FROM help_requests
    WHERE id = ${requestId} AND ${ownedBy(party)}`;
  if (!row) throw new Problem('not_found');
  const {
    id,
    refCode,
    seq,
    contentBytes,
    answerForm,
    agentName,
    agentVersions,
    keySignature,
    erasedAt,
    ...rest
  } = row;
  return {
    seq,
    contentBytes,
    head: {
      requestId: id,
      refCode: formatRefCode(refCode),
      ...rest,
      ...(answerForm != null && { answerForm }),
      ...(agentName != null && { agentName }),
      ...(agentVersions != null && { agentVersions }),
      ...(keySignature !== null && { keySignature }),
      ...(erasedAt !== null && { erasedAt }),
    },
  };
}
