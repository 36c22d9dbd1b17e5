import { type Bytes, sha256, tuple } from './bytes.ts';

/** The wire versions that an agent with this code understands: one character each, in ascending order. */
export const agentVersions = '4';

/**
 * The question that is submitted in place of a confidential one. The expert signs it like any other: it says that the real one follows
 * as the first encrypted message.
 */
export const confidentialQuestion = 'A confidential question: pick it up to read it.';

/** The unencrypted question, as the agent submits it and as the relay shows it to the expert. Absent counts as empty. */
export interface Submission {
  /** The code that the relay gave to the request: known once the submit was answered. */
  readonly refCode: string;
  /** What the agent's client said it understands. It is hashed unread. */
  readonly agentVersions?: string | null | undefined;
  /** The name that the agent gave itself. */
  readonly agentName?: string | null | undefined;
  readonly question?: string | null | undefined;
  readonly plaintext?: string | null | undefined;
  /** The form to fill in, as the text that was submitted. */
  readonly answerForm?: string | null | undefined;
  /** The messages before the question, oldest first. */
  readonly messages?: readonly { readonly role: string; readonly content: string }[] | undefined;
}

/** The number of messages that the relay keeps: the last ones. */
const keptMessages = 10;

/**
 * The digest of a question, 32 bytes. In the key exchange the expert signs the digest of the question that it was
 * shown, and the agent compares it with the digest of the question that it asked.
 *
 * @example
 * const submission = await digestSubmission({ refCode: 'HS-7KQ2M9XD', question: 'May I?', agentVersions });
 */
export async function digestSubmission(asked: Submission): Promise<Bytes> {
  const kept = (asked.messages ?? []).slice(-keptMessages).flatMap(({ role, content }) => [role, content]);
  const texts = [asked.agentVersions, asked.agentName, asked.question, asked.plaintext, asked.answerForm];
  const members = texts.map((text) => text ?? '');
  return await sha256(tuple('expert-relay/v4/submission', asked.refCode, ...members, ...kept));
}
