import type { Message } from '@expert-relay/sdk';
import type { Expert, ExpertRequest } from '@expert-relay/sdk/expert';
import type { Context } from '../context.ts';
import { isRefusal } from '../explain-error.ts';
import { Failure } from '../failure.ts';
import { markWritten } from '../relay/mark-written.ts';
import { showConversation } from './conversation-view.ts';
import { viewOf } from './view-as-expert.ts';

/** What was written to standard output less than this before a command started was hardly read. */
const readingTimeMs = 5_000;

interface Opened {
  readonly expert: Pick<Expert, 'markShown' | 'shownBefore'>;
  readonly request: ExpertRequest;
  /** Messages that were read and that a further read does not return. */
  readonly read?: readonly Message[];
  /** Whether the output is one JSON object. Then nothing else is printed, and there is no prompt. */
  readonly json?: boolean;
}

/** What the user has been shown, and all messages that were read. */
export interface Shown {
  readonly ids: readonly string[];
  readonly read: readonly Message[];
}

export interface AnswerAttempt extends Opened {
  /** When the command started. */
  readonly startedAt: number;
  readonly evenIfNewer?: boolean;
  /** What the user does once the question was read. */
  readonly next?: string;
}

/**
 * The messages that the user was shown before the command started. An expert signs the question with the
 * first answer: where it was never shown, it is shown now, and the user is asked.
 */
export async function requireShown(context: Context, attempt: AnswerAttempt): Promise<Shown> {
  const { expert, request, read = [], startedAt, evenIfNewer = false, next } = attempt;
  const { requestId } = request;
  const ids = await expert.shownBefore(requestId, startedAt - readingTimeMs);
  if (ids) return { ids, read };
  // Never without any question on standard output, not even with the option.
  const isShownSince = (await expert.shownBefore(requestId, Number.POSITIVE_INFINITY)) !== undefined;
  if (evenIfNewer && isShownSince) return { ids: [], read };
  return await showAndAsk(context, attempt, {
    why: isShownSince ? 'was shown here only now' : 'was not shown here yet',
    question: 'Is this what you mean?',
    next,
  });
}

/** A decision is about the form that was shown. Only the newest can be decided; that of the question was shown with it. */
export function isFormShown({ ids, read }: Shown): boolean {
  const sent = read.findLast(
    ({ from, form, unreadableForm }) => from === 'agent' && (form || unreadableForm),
  );
  return !sent || ids.includes(sent.messageId);
}

/** Shows what the agent has written since, and asks whether the user stands by the answer. `check` throws if it cannot be sent. */
export const requireStill = (context: Context, opened: Opened, check?: () => void): Promise<Shown> =>
  showAndAsk(context, opened, {
    why: 'has a newer message of the agent, which was not shown here',
    question: 'Send your answer unchanged?',
    check,
  });

interface Asking {
  readonly why: string;
  readonly question: string;
  readonly next?: string | undefined;
  /** Runs before the question. It throws where a yes would have no effect. */
  readonly check?: (() => void) | undefined;
}

async function showAndAsk(
  context: Context,
  { expert, request, read, json = false }: Opened,
  { why, question, next = 'answer', check }: Asking,
): Promise<Shown> {
  const { input, out, err, signal } = context;
  const { refCode, requestId } = request;
  if (json || !input.isTerminal || !out.isTerminal) {
    const sentence = `Not sent: ${refCode} ${why}. Read it: relay show ${refCode}. Then ${next}, at least five seconds later.`;
    throw new Failure('unseen', sentence, { code: 'newer_message', details: { refCode } });
  }
  const view = await viewOf(request, signal, read);
  showConversation(context, view, 'expert');
  if (view.refused && isRefusal(view.refused)) throw view.refused;
  if (!(await markWritten(context, expert, { requestId, messages: view.messages })))
    throw new Failure('unseen', `Not sent: the question could not be shown. Read it: relay show ${refCode}`, {
      details: { refCode },
    });
  check?.();
  err.line();
  const answer = await input.readLine(`${refCode} ${why}. ${question} (y/N) `);
  if (!/^y(es)?$/i.test(answer?.trim() ?? ''))
    throw new Failure('unseen', `Not sent. To write another answer: relay answer ${refCode} "..."`, {
      code: 'newer_message',
      details: { refCode },
    });
  return { ids: view.messages.map(({ messageId }) => messageId), read: view.messages };
}
