import type { Bytes } from '../bytes/bytes.ts';
import { sha256 } from '../bytes/sha256.ts';
import { tuple } from '../bytes/tuple.ts';

/** A question as the agent submits it, and as the relay shows it to the expert: all of it in clear. */
export interface Submission {
  readonly question?: string | null | undefined;
  readonly plaintext?: string | null | undefined;
  /** What was said before, oldest first. */
  readonly messages?: readonly { readonly role: string; readonly content: string }[] | undefined;
}

/** The relay keeps the last ones. */
const keptMessages = 10;

/**
 * The 32 bytes that stand for a question in a key exchange: the expert signs those of the question that it was shown,
 * the agent compares them with those of the question that it asked.
 */
export async function digestSubmission({ question, plaintext, messages = [] }: Submission): Promise<Bytes> {
  const kept = messages.slice(-keptMessages).flatMap(({ role, content }) => [role, content]);
  return await sha256(tuple('expert-relay/v4/submission', question ?? '', plaintext ?? '', ...kept));
}
