import {
  formatRefCode,
  ownedBy,
  type Party,
  type Query,
  type RequestStatus,
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
  question: string | null;
  plaintext: string | null;
  context: unknown;
  consumerSignPubKey: string | null;
  consumerEncryptPubKey: string | null;
  providerSignPubKey: string | null;
  providerEncryptPubKey: string | null;
  keySignature: string | null;
  erasedAt: string | null;
}

/** All of a conversation but its messages: `seq` says up to where those belong to it, `contentBytes` how large they are. */
export async function readHead(query: Query, party: Party, requestId: string) {
  const [row] = await query<Row>`
    SELECT id, ref_code AS "refCode", ${statusNow} AS status, seq, content_bytes AS "contentBytes",
      response_count AS "responseCount",
      created_at AS "createdAt", expires_at AS "expiresAt", question, plaintext, context,
      consumer_sign_pub_key AS "consumerSignPubKey", consumer_encrypt_pub_key AS "consumerEncryptPubKey",
      provider_sign_pub_key AS "providerSignPubKey", provider_encrypt_pub_key AS "providerEncryptPubKey",
      key_signature AS "keySignature", erased_at AS "erasedAt"
    FROM help_requests
    WHERE id = ${requestId} AND ${ownedBy(party)}`;
  if (!row) throw new Problem('not_found');
  const { id, refCode, seq, contentBytes, keySignature, erasedAt, ...rest } = row;
  return {
    seq,
    contentBytes,
    head: {
      requestId: id,
      refCode: formatRefCode(refCode),
      ...rest,
      ...(keySignature !== null && { keySignature }),
      ...(erasedAt !== null && { erasedAt }),
    },
  };
}
