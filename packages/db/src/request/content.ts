import { sql } from '../postgres/query.ts';

/** What the agent submitted besides the question, and the keys of both sides. */
export interface RequestContent {
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
}

/** Columns of `help_requests`. */
export const submissionColumns = sql`
  context, plaintext, answer_form AS "answerForm", agent_name AS "agentName", agent_versions AS "agentVersions"`;

/** Columns of `help_requests`. */
export const publicKeyColumns = sql`
  consumer_sign_pub_key AS "consumerSignPubKey", consumer_encrypt_pub_key AS "consumerEncryptPubKey",
  provider_sign_pub_key AS "providerSignPubKey", provider_encrypt_pub_key AS "providerEncryptPubKey",
  key_signature AS "keySignature"`;

const optional = ['answerForm', 'agentName', 'agentVersions', 'keySignature', 'erasedAt'] as const;

/** As the API has it: members that not every request has are absent, and not null, without a value. */
export const withoutAbsent = <T extends object>(body: T): T =>
  Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) => value != null || !(optional as readonly string[]).includes(name),
    ),
  ) as T;
