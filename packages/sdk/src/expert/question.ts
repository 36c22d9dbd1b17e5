import { toBase64 } from '../crypto/base64.ts';
import { questionAltered } from '../crypto/key-exchange.ts';
import { digestSubmission } from '../crypto/submission.ts';
import type { ContextMessage } from '../request-state.ts';
import type { Head } from '../thread/page.ts';
import { isObject, type Members, optionalText } from '../transport/shape.ts';

/** The unencrypted part of a request. */
export interface Question {
  readonly question: string;
  readonly context: readonly ContextMessage[];
  readonly plaintext: string | undefined;
  /** The form that came with the question, as JSON text. It is signed with the question. */
  readonly answerForm: string | undefined;
  /** The name that the agent gave itself. It is signed with the question. */
  readonly agentName: string | undefined;
}

/** Shown where the relay's question must not be: after a refusal, and after the content was erased. */
export const noQuestion: Question = {
  question: '',
  context: [],
  plaintext: undefined,
  answerForm: undefined,
  agentName: undefined,
};

export const readQuestion = (members: Members): Question => ({
  question: optionalText(members, 'question') ?? '',
  context: Array.isArray(members.context) ? members.context.filter(isContextMessage) : [],
  plaintext: optionalText(members, 'plaintext'),
  answerForm: optionalText(members, 'answerForm'),
  agentName: optionalText(members, 'agentName'),
});

/** The digest of a request's question, which the expert signs in the key exchange. */
export async function digestQuestion({ refCode, asked }: Pick<Head, 'refCode' | 'asked'>): Promise<string> {
  const { context, ...texts } = readQuestion(asked);
  const submission = {
    ...texts,
    refCode,
    agentVersions: optionalText(asked, 'agentVersions'),
    messages: context,
  };
  const digest = await digestSubmission(submission).catch(() => undefined);
  // A lone surrogate: an agent cannot have sent that.
  if (!digest) throw questionAltered();
  return toBase64(digest);
}

const isContextMessage = (value: unknown): value is ContextMessage =>
  isObject(value) && typeof value.role === 'string' && typeof value.content === 'string';
