import { confidentialQuestion, RelayError, type RequestStatus } from '@expert-relay/sdk';
import { hasEnded } from '@expert-relay/sdk/internal';
import { Failure } from '../failure.ts';

/** For experts: throws a Failure when nothing can be sent any more. */
export function requireOpen(request: { refCode: string; status: RequestStatus }): void {
  if (!hasEnded(request)) return;
  const { refCode, status } = request;
  const sentence = `${refCode} is ${status}, so nothing was sent. To go on, the agent makes a new request.`;
  throw new Failure(status, sentence, { details: { refCode } });
}

/** Whether an error only means that the conversation has ended. */
export const isEndError = (error: unknown): boolean => RelayError.is(error, 'closed', 'expired');

/** Whether the agent sends the question only after the pick-up. `encrypted` is undefined for a request that was not read. */
export const isConfidential = (request: {
  readonly question: string;
  readonly encrypted?: boolean | undefined;
}): boolean => request.encrypted !== false && request.question === confidentialQuestion;

/** Whether its question was compared and may be shown: a refused one is empty. After a refused message it still may. */
export const mayBeShown = (request: {
  readonly question: string;
  readonly plaintext?: string | undefined;
  readonly context: readonly unknown[];
  readonly refused?: unknown;
}): boolean => {
  const { question, plaintext = '', context, refused } = request;
  return refused === undefined || question !== '' || plaintext !== '' || context.length > 0;
};

/** What the agent asks, and what it gave as plain text where that is another text. An expert signs both. */
export const askedTexts = ({
  question,
  plaintext,
}: {
  readonly question: string;
  readonly plaintext?: string | undefined;
}): { readonly question: string; readonly plaintext?: string } =>
  question !== '' && plaintext && plaintext !== question
    ? { question, plaintext }
    : { question: question || (plaintext ?? '') };
