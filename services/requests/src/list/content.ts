import type { Api } from '@expert-relay/contracts';
import {
  publicKeyColumns,
  type RequestContent,
  raw,
  type Sql,
  sql,
  submissionColumns,
  withoutAbsent,
} from '@expert-relay/db';

/** What the agent submitted, and the keys of both sides. */
export interface Content extends RequestContent {
  newestMessage: Api.NewestMessage | null;
  fullQuestion: string | null;
  erasedAt: string | null;
}

/** The longest text or ciphertext of a message in a list. */
const newestMessageBytes = 4_096;

/** A page ends with the request that reaches this number of bytes. */
const contentPageBytes = 1_048_576;

// Postgres knows the length of a stored text without reading it. JSON must be read when it is compressed.
const size = sql`
  COALESCE(octet_length(help_requests.question), 0) + COALESCE(octet_length(help_requests.plaintext), 0)
  + COALESCE(octet_length(answer_form), 0)
  + CASE WHEN pg_column_compression(context) IS NULL THEN pg_column_size(context)
      ELSE octet_length(context::text) END`;

/** Adds the content to the rows of a page, in order of `time`. `isCut` says that the page ends early, because of its size. */
export const withContent = (page: Sql, time: 'createdAt' | 'lastActivityAt'): Sql => sql`
  WITH page AS MATERIALIZED (${page}),
  sized AS (
    SELECT page.id, sum(size) OVER newest_first - size AS before,
      sum(size) OVER newest_first >= ${contentPageBytes}::int AND lead(page.id) OVER newest_first IS NOT NULL AS "isCut"
    FROM page JOIN help_requests USING (id), LATERAL (SELECT ${size} AS size) AS measured
    WINDOW newest_first AS (${newestFirst(time)})
  )
  SELECT page.*, "isCut", help_requests.question AS "fullQuestion", ${submissionColumns}, ${publicKeyColumns},
    erased_at AS "erasedAt", ${newestMessage} AS "newestMessage"
  FROM sized JOIN page USING (id) JOIN help_requests USING (id)
  WHERE before < ${contentPageBytes}::int
  ${newestFirst(time)}`;

/** What the agent has written since the last answer, if it is short enough to be shown in a list. */
const newestMessage = sql`
  CASE WHEN help_requests.turn = 'provider' AND help_requests.message_count > 0 THEN (
    SELECT CASE WHEN COALESCE(octet_length(ciphertext), 0) + COALESCE(octet_length(plaintext), 0) <= ${newestMessageBytes}::int
      THEN json_strip_nulls(json_build_object(
        'messageId', message_id, 'role', role, 'signature', signature, 'plaintext', plaintext,
        'encrypted', CASE WHEN iv IS NOT NULL THEN json_build_object(
          'iv', iv, 'ciphertext', ciphertext, 'tag', tag, 'ephemeralPublicKey', ephemeral_public_key) END))
      END
    FROM messages WHERE request_id = help_requests.id ORDER BY seq DESC LIMIT 1) END`;

const newestFirst = (time: string): Sql => sql`ORDER BY page.${raw(`"${time}"`)} DESC, page.id DESC`;

export const contentBody = (content: Content) =>
  withoutAbsent({
    question: content.fullQuestion,
    context: content.context,
    plaintext: content.plaintext,
    answerForm: content.answerForm,
    agentName: content.agentName,
    agentVersions: content.agentVersions,
    consumerSignPubKey: content.consumerSignPubKey,
    consumerEncryptPubKey: content.consumerEncryptPubKey,
    providerSignPubKey: content.providerSignPubKey,
    providerEncryptPubKey: content.providerEncryptPubKey,
    keySignature: content.keySignature,
    erasedAt: content.erasedAt,
    newestMessage: content.newestMessage,
  });
