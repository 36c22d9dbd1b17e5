import { type AgentKeys, agentVersions, digestSubmission } from '../crypto/index.ts';
import { invalidInput } from '../relay-error.ts';
import type { AskedRequest, ContextMessage } from '../request-state.ts';
import { checkText } from '../thread/message.ts';
import type { Api } from '../transport/api.ts';
import { requestHead } from '../transport/requests.ts';
import { members } from '../transport/shape.ts';
import type { Question } from './relay.ts';

/** The question that is submitted in place of a confidential one, and visible until the expert has sent keys. */
export const confidentialQuestion = 'A confidential question: pick it up to read it.';

/** The body of a submit, and the text that is left out of it. */
export interface Submission {
  readonly body: object;
  readonly confidential: string | undefined;
}

export async function makeSubmission(
  asked: Question,
  keys: AgentKeys | undefined,
  id: string,
): Promise<Submission> {
  const { question, messages = [], plaintext } = asked;
  if (!question && !plaintext && (!keys || messages.length === 0)) {
    throw invalidInput('There is nothing to ask: give a `question`.');
  }
  if (asked.confidential && (plaintext || !keys)) {
    throw invalidInput('For `confidential`, leave out `plaintext` and `encrypted: false`.');
  }
  const confidential = asked.confidential ? inFull(question, messages) : undefined;
  if (confidential !== undefined) checkText(confidential, false);
  const shown = {
    ...(confidential === undefined
      ? { question, messages }
      : { question: confidentialQuestion, messages: [] }),
    plaintext: plaintext ?? (keys ? undefined : question),
  };
  // The expert signs the digest of these texts, which is known with the code. A text without one is refused before.
  if (keys) await digestSubmission({ ...shown, refCode: '' });
  return {
    body: {
      ...shown,
      agentVersions: keys && agentVersions,
      consumerSignPubKey: keys?.signPublic.pem,
      consumerEncryptPubKey: keys?.encryptPublic.pem,
      // In the body, since browsers may not send the header.
      idempotencyKey: asked.idempotencyKey ?? id,
    },
    confidential,
  };
}

function inFull(question: string | undefined, messages: readonly ContextMessage[]): string {
  const before = messages.map(({ role, content }) => `${role}: ${content}`);
  const context = before.length > 0 ? ['What was said before:', ...before] : [];
  return [question, ...context].filter(Boolean).join('\n\n');
}

/** A repeated submit returns the first answer again. */
export function submit(
  api: Api,
  apiKey: string,
  body: object,
  signal: AbortSignal | undefined,
): Promise<AskedRequest> {
  return api.post('/api/v1/help', { apiKey, ...body }, readSubmitted, signal);
}

const readSubmitted = (answer: unknown): AskedRequest => ({
  ...requestHead(members(answer)),
  responseCount: 0,
});
