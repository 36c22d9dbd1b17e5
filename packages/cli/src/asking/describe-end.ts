import type { Conversation } from '@expert-relay/sdk';
import type { Context } from '../context.ts';
import { explainError } from '../explain-error.ts';
import { Failure, unreachable } from '../failure.ts';
import { describeClosing } from '../terminal/closing-words.ts';
import { describeDuration } from '../terminal/describe-duration.ts';
import { describeUnsent } from './show-answers.ts';

interface Ending {
  readonly conversation: Conversation;
  readonly timeoutMs: number;
  /** What was waited for. */
  readonly awaited: 'answer' | 'decision';
  /** Why the relay does not answer at the end of the wait. */
  readonly outage: string | undefined;
  /** Whether the conversation is closed now: then nothing can be waited for any more. */
  readonly closesAtEnd?: boolean;
  /** A further sentence. */
  readonly note?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Why a command did not get what it was waiting for, and how to go on. */
export function describeEnd({ signal }: Context, ending: Ending, error: unknown): Failure {
  const { conversation, timeoutMs, awaited, outage, closesAtEnd = false, note = '', details } = ending;
  const explained = explainError(error, signal);
  // There may be one that the relay could not send.
  const isUnknown = explained.outcome === 'timeout' && outage !== undefined;
  const { outcome, code, reason, message } = isUnknown
    ? unreachable(outage.replace(/ Retrying\.$/, ''))
    : explained;
  const { refCode, requestId, status, expiresAt, unsent } = conversation;
  const goOn = closesAtEnd ? '' : `Go on waiting: relay ask --resume ${refCode}`;
  const stays = closesAtEnd ? '' : `${refCode} stays open until ${expiresAt}. ${goOn}`;
  const again = code === 'answer_conflict' ? '--again' : '"Please decide again."';
  const decide = closesAtEnd ? '' : `Have it decided again: relay ask --resume ${refCode} ${again}`;
  const without =
    awaited === 'answer' ? 'nothing new was answered' : 'nothing was decided: take it for no yes';
  const sentence = {
    timeout: `No ${awaited} within ${describeDuration(timeoutMs)}. ${stays}`,
    interrupted: `Stopped waiting. ${stays}`,
    terminated: `Stopped waiting. ${stays}`,
    closed: `${refCode} was closed, and ${[`${without}.`, describeClosing(conversation, 'agent')].filter(Boolean).join(' ')} All that was said: relay show ${refCode}`,
    expired: `${refCode} has expired, and ${without}. Ask again: relay ask "..."`,
    invalid: `${message}\nThis is neither a yes nor a no. ${decide}`,
    stale: message,
    plaintext: `${message}\nAsk your expert over another channel, or why their tools do not encrypt.`,
    untrusted: `${message}\nNothing of it was shown. What came before: relay show ${refCode}`,
    unreachable: `${message}\nWhether there is ${awaited === 'answer' ? 'an answer' : 'a decision'} is not known. ${closesAtEnd ? '' : `${refCode} is kept. ${goOn}`}`,
  }[outcome as string];
  const sentences = [sentence ?? message, note, describeUnsent(conversation)];
  return new Failure(
    outcome,
    sentences
      .map((one) => one.trim())
      .filter(Boolean)
      .join('\n'),
    {
      code,
      reason,
      details: { refCode, requestId, status, expiresAt, unsent: unsent.length, ...details },
      cause: error,
    },
  );
}
