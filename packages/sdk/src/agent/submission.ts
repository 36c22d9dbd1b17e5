import type { AgentKeys } from '../crypto/agent-keys.ts';
import { fileKind } from '../crypto/parts.ts';
import { refusal } from '../crypto/refusal.ts';
import {
  agentVersions,
  confidentialQuestion,
  digestSubmission,
  type Submission,
} from '../crypto/submission.ts';
import { invalidInput } from '../relay-error.ts';
import type { AskedRequest, ContextMessage, Follows } from '../request-state.ts';
import { type SavedPart, savedParts } from '../thread/message-parts.ts';
import { checkMessage, makeParts } from '../thread/parts-to-send.ts';
import type { Api } from '../transport/api.ts';
import { requestHead } from '../transport/requests.ts';
import { members } from '../transport/shape.ts';
import type { Question } from './question.ts';

/** The body of a submit, and the first encrypted message: what is left out of the body. */
export interface PreparedSubmission {
  readonly body: SubmissionBody;
  readonly first: { readonly text: string; readonly parts: readonly SavedPart[] } | undefined;
}

/** What is submitted, besides the API key. */
export interface SubmissionBody extends Omit<Submission, 'refCode'> {
  readonly consumerSignPubKey?: string | undefined;
  readonly consumerEncryptPubKey?: string | undefined;
  readonly idempotencyKey: string;
  readonly expiresIn?: number | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly follows?: Follows | undefined;
}

export async function makeSubmission(
  asked: Omit<Question, 'form'> & { readonly answerForm: string | undefined },
  agent: {
    readonly keys: AgentKeys | undefined;
    readonly id: string;
    readonly agentName: string | undefined;
  },
): Promise<PreparedSubmission> {
  const { keys, id, agentName } = agent;
  const { question, messages = [], plaintext, answerForm, files = [], expiresInMs, tags } = asked;
  if (!question && !plaintext && (!keys || messages.length === 0)) {
    throw invalidInput('There is nothing to ask: give a `question`.');
  }
  if (expiresInMs !== undefined && !Number.isInteger(expiresInMs / 1_000)) {
    throw invalidInput('`expiresInMs` is in milliseconds, and a whole number of seconds.');
  }
  if (asked.confidential && (plaintext || !keys)) {
    throw invalidInput('For `confidential`, leave out `plaintext` and `encrypted: false`.');
  }
  const text = asked.confidential ? inFull(question, messages) : '';
  const all = await makeParts({ answerForm, files });
  const parts = asked.confidential ? all : all.filter(({ kind }) => kind === fileKind);
  const hasFirst = asked.confidential || parts.length > 0;
  if (hasFirst) checkMessage(text, parts, { role: 'consumer', agentSentKeys: true }, !keys);
  const visible = {
    ...(asked.confidential
      ? { question: confidentialQuestion, messages: [] }
      : { question, messages, answerForm }),
    plaintext: plaintext ?? (keys ? undefined : question),
    agentName,
    agentVersions: keys && agentVersions,
  };
  // The expert signs the digest of these texts, which is known with the code. A text without one is refused before.
  if (keys) await digestSubmission({ ...visible, refCode: '' });
  return {
    body: {
      ...visible,
      consumerSignPubKey: keys?.signPublic.pem,
      consumerEncryptPubKey: keys?.encryptPublic.pem,
      // In the body, since browsers may not send the header.
      idempotencyKey: id,
      expiresIn: expiresInMs === undefined ? undefined : expiresInMs / 1_000,
      tags,
      follows: hasFirst ? { files: files.length, question: asked.confidential === true } : undefined,
    },
    first: hasFirst ? { text, parts: savedParts(parts) } : undefined,
  };
}

function inFull(question: string | undefined, messages: readonly ContextMessage[]): string {
  const before = messages.map(({ role, content }) => `${role}: ${content}`);
  const context = before.length > 0 ? ['What was said before:', ...before] : [];
  return [question, ...context].filter(Boolean).join('\n\n');
}

/** The response to a submit. */
export interface Submitted {
  readonly request: AskedRequest;
  /** Where the first stream of the request begins, so that no event of it is missed. Without it, the list is read. */
  readonly position: string | undefined;
}

/** What `ask` takes besides the question. It is not public. */
export interface AskInternals {
  /** Called before a new conversation is stored, or a stored one continued, so that a program can lock it. */
  readonly onId?: ((id: string, isNew: boolean) => Promise<void>) | undefined;
  /** Called when the relay has the question, with what closes it. */
  readonly onSubmitted?: ((close: (signal: AbortSignal | undefined) => Promise<void>) => void) | undefined;
  /** Ends an attempt to submit that had begun before the signal of the question has aborted. */
  readonly lasting?: AbortSignal | undefined;
}

/** A repeated submit returns the first response again. */
export async function submit(
  api: Api,
  apiKey: string,
  body: SubmissionBody,
  signal: AbortSignal | undefined,
  { lasting, onSubmitted }: AskInternals = {},
): Promise<Submitted> {
  const { request, position, echo } = await api.post(
    '/api/v1/help',
    // Submit takes the key in its body.
    { apiKey, ...body },
    readSubmitted,
    signal,
    { lasting },
  );
  onSubmitted?.((own) => api.post(`/api/v1/close/${request.requestId}`, {}, () => {}, own));
  for (const name of ['agentName', 'agentVersions', 'answerForm', 'expiresIn'] as const) {
    // Otherwise the expert would be shown, and sign, something else, or the conversation would last longer than was asked.
    if ((echo[name] ?? undefined) !== body[name]) throw notTaken(name);
  }
  return { request, position };
}

const readSubmitted = (body: unknown, headers: Headers) => {
  const echo = members(body);
  const request: AskedRequest = { ...requestHead(echo), responseCount: 0 };
  return { request, position: headers.get('relay-position') ?? undefined, echo };
};

const notTaken = (name: string) =>
  refusal(
    'question_altered',
    `The relay did not take the \`${name}\` of this question.`,
    'It may be older than this program. Otherwise do not trust it before you know why.',
  );
