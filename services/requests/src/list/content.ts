import { type Sql, sql } from '@expert-relay/db';

/** What the agent submitted, and the keys of both sides. */
export interface Content {
  fullQuestion: string | null;
  context: unknown;
  plaintext: string | null;
  answerForm: string | null;
  agentName: string | null;
  agentVersions: string | null;
  consumerSignPubKey: string | null;
  consumerEncryptPubKey: string | null;
  providerSignPubKey: string | null;
  providerEncryptPubKey: string | null;
  keySignature: string | null;
  erasedAt: string | null;
}

/** A page ends with the request that reaches this number of bytes. */
const contentPageBytes = 1_048_576;

// Postgres knows the length of a stored text without reading it. JSON must be read when it is compressed.
const size = sql`
  COALESCE(octet_length(help_requests.question), 0) + COALESCE(octet_length(help_requests.plaintext), 0)
  + COALESCE(octet_length(answer_form), 0)
  + CASE WHEN pg_column_compression(context) IS NULL THEN pg_column_size(context)
      ELSE octet_length(context::text) END`;

/** Adds the content to the rows of a page. `isCut` says that the page ends early, because of its size. */
export const withContent = (page: Sql): Sql => sql`
  WITH page AS MATERIALIZED (${page}),
  sized AS (
    SELECT page.id, sum(size) OVER newest_first - size AS before,
      sum(size) OVER newest_first >= ${contentPageBytes}::int AND lead(page.id) OVER newest_first IS NOT NULL AS "isCut"
    FROM page JOIN help_requests USING (id), LATERAL (SELECT ${size} AS size) AS measured
    WINDOW newest_first AS (ORDER BY page."createdAt" DESC, page.id DESC)
  )
  SELECT page.*, "isCut", help_requests.question AS "fullQuestion", context, plaintext,
    answer_form AS "answerForm", agent_name AS "agentName", agent_versions AS "agentVersions",
    consumer_sign_pub_key AS "consumerSignPubKey", consumer_encrypt_pub_key AS "consumerEncryptPubKey",
    provider_sign_pub_key AS "providerSignPubKey", provider_encrypt_pub_key AS "providerEncryptPubKey",
    key_signature AS "keySignature", erased_at AS "erasedAt"
  FROM sized JOIN page USING (id) JOIN help_requests USING (id)
  WHERE before < ${contentPageBytes}::int
  ORDER BY page."createdAt" DESC, page.id DESC`;

/** Some members are absent when they have no value, as in the list of messages. */
export const contentBody = (content: Content) => {
  const { answerForm, agentName, agentVersions, keySignature, erasedAt } = content;
  return {
    question: content.fullQuestion,
    context: content.context,
    plaintext: content.plaintext,
    consumerSignPubKey: content.consumerSignPubKey,
    consumerEncryptPubKey: content.consumerEncryptPubKey,
    providerSignPubKey: content.providerSignPubKey,
    providerEncryptPubKey: content.providerEncryptPubKey,
    ...(answerForm !== null && { answerForm }),
    ...(agentName !== null && { agentName }),
    ...(agentVersions !== null && { agentVersions }),
    ...(keySignature !== null && { keySignature }),
    ...(erasedAt !== null && { erasedAt }),
  };
};
