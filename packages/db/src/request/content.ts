import type { Api } from '@expert-relay/contracts';
import { sql } from '../postgres/query.ts';

/** What the agent submitted besides the question, and the keys of both sides. */
export interface RequestContent {
  context: Api.Conversation['context'];
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

/** What lists show of a request besides its state: what follows, the agent's tags, and by which side and why it was closed. */
export interface RequestNotes {
  follows: Api.Follows | null;
  tags: Api.Tags | null;
  closedBy: Api.ClosedBy | null;
  closeReason: string | null;
}

/** Columns of `help_requests`. */
export const noteColumns = sql`follows, tags, closed_by AS "closedBy", close_reason AS "closeReason"`;

/** Columns of `help_requests`. */
export const submissionColumns = sql`
  context, plaintext, answer_form AS "answerForm", agent_name AS "agentName", agent_versions AS "agentVersions"`;

/** Columns of `help_requests`. */
export const publicKeyColumns = sql`
  consumer_sign_pub_key AS "consumerSignPubKey", consumer_encrypt_pub_key AS "consumerEncryptPubKey",
  provider_sign_pub_key AS "providerSignPubKey", provider_encrypt_pub_key AS "providerEncryptPubKey",
  key_signature AS "keySignature"`;

const optional = [
  ...(['answerForm', 'agentName', 'agentVersions', 'keySignature', 'erasedAt'] as const),
  ...(['follows', 'tags', 'closedBy', 'closeReason', 'snoozedUntil', 'newestMessage'] as const),
];
type Optional = (typeof optional)[number];

/** As the API has it: members that not every request has are absent, and not null, without a value. */
export const withoutAbsent = <T extends object>(
  body: T,
): Omit<T, Optional> & { [Name in keyof T & Optional]?: NonNullable<T[Name]> } =>
  Object.fromEntries(
    Object.entries(body).filter(([name, value]) => value != null || !optional.includes(name as Optional)),
  ) as never;
