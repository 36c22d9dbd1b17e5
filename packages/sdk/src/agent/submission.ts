import type { AgentKeys } from '../crypto/index.ts';
import { RelayError } from '../relay-error.ts';
import type { ContextMessage } from '../request-state.ts';
import { checkText } from '../thread/check-text.ts';
import type { Api } from '../transport/api.ts';
import { refCode, requestId, time } from '../transport/request-shape.ts';
import { members, oneOf } from '../transport/shape.ts';
import type { AskedRequest } from './conversation-state.ts';
import type { Question } from './relay.ts';

/** What the relay and the expert see before the expert has the keys. */
const neutral = 'A confidential question: pick it up to read it.';

/** The body of a submit, and the texts that are kept from it. */
export interface Submission {
  readonly body: object;
  readonly confidential: readonly string[];
}

export function makeSubmission(question: Question, keys: AgentKeys | undefined, id: string): Submission {
  const { messages = [], confidential = false } = question;
  checkQuestion(question, keys !== undefined);
  const asked = confidential
    ? { question: neutral, messages: [] }
    : { question: question.question, messages };
  const plaintext = question.plaintext ?? (keys ? undefined : question.question);
  return {
    body: {
      ...asked,
      ...(plaintext !== undefined && { plaintext }),
      ...(keys && {
        consumerSignPubKey: keys.signPublic.pem,
        consumerEncryptPubKey: keys.encryptPublic.pem,
      }),
      // In the body: browsers may not send the header.
      idempotencyKey: question.idempotencyKey ?? id,
    },
    confidential: confidential ? [confidentialText(question.question, messages)] : [],
  };
}

function checkQuestion(
  { question, messages, confidential, plaintext }: Question,
  isEncrypted: boolean,
): void {
  if (!question && !messages?.length && !plaintext) {
    refuse('There is nothing to ask: give a `question`, or `messages`.');
  }
  if (confidential && !isEncrypted)
    refuse('A confidential question needs encryption: leave out `encrypted`.');
  if (confidential && plaintext) refuse('What is confidential has no `plaintext`: leave one of them out.');
  if (!isEncrypted && !(plaintext ?? question)) {
    refuse('Without encryption give a `question`, or a `plaintext`, for the expert to read.');
  }
  if (confidential) checkText(confidentialText(question, messages ?? []), false);
}

function confidentialText(question: string | undefined, messages: readonly ContextMessage[]): string {
  const before = messages.map(({ role, content }) => `${role}: ${content}`);
  return [question, before.length > 0 && ['What was said before:', ...before].join('\n\n')]
    .filter(Boolean)
    .join('\n\n');
}

function refuse(sentence: string): never {
  throw new RelayError('invalid_input', sentence);
}

/** Repeating it gives the first answer again. */
export function submit(
  api: Api,
  apiKey: string,
  body: object,
  signal: AbortSignal | undefined,
): Promise<AskedRequest> {
  return api.post('/api/v1/help', { apiKey, ...body }, readSubmitted, signal);
}

function readSubmitted(answer: unknown): AskedRequest {
  const body = members(answer);
  return {
    requestId: requestId(body),
    refCode: refCode(body),
    status: oneOf(body, 'status', ['pending', 'responded', 'closed', 'expired']),
    expiresAt: time(body, 'expiresAt'),
    responseCount: 0,
  };
}
