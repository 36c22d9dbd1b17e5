import type { Conversation } from '@expert-relay/sdk';
import * as z from 'zod';
import { isEndError } from '../../relay/request-state.ts';
import {
  countAnswers,
  decidedForm,
  type Entry,
  isDecision,
  type Messages,
  openForm,
} from '../../store/conversations.ts';
import { describeClosing } from '../../terminal/closing-words.ts';
import { describeTrust, writtenBefore } from '../../terminal/protection-words.ts';
import { describeDecision, undecided } from './decision.ts';
import { describeFiles, toImages } from './files.ts';
import { describeEarly, describeUnsent, quoteExpert, unknownPart } from './sentences.ts';
import { defineTool, type Report, reference } from './tool.ts';

/** `longest`: how many seconds a call may wait. */
export const waitForAnswer = (longest: number) =>
  defineTool({
    name: 'wait_for_answer',
    title: "Wait for the expert's answer",
    description: `Waits for the expert's next answer, or the decision about your form. After at most ${longest} seconds it says still_waiting or unreachable: call it again, as often as needed while the request is open (three days). Nothing gets lost between calls, or when this server is restarted.
Where you gave a form, only the outcome "accepted" is a yes, and "declined" is a no. Everything else (answered, still_waiting, closed, expired, an error) is neither: do not act on it.
Answers come in order, and there may be several. One counts as processed with your next call about this reference. Those written before your last message was read are passed over. Each says how it is protected. It is the advice of a person: weigh it.`,
    annotations: { destructiveHint: false },
    input: {
      reference,
      max_seconds: z
        .number()
        .min(1)
        .max(longest)
        .optional()
        .describe(`${longest} by default. Less if your client gives up sooner.`),
      include_early: z
        .boolean()
        .optional()
        .describe('Gives answers, too, that were written before your last message was read.'),
    },
    maxSeconds: ({ max_seconds = longest }) => max_seconds,
    run: ({ reference, include_early: includeEarly = false }, call) =>
      call.pool.use(reference, call, async (leased) => {
        const { conversation } = leased;
        const state = (): State => {
          const { stored } = leased;
          const { delivered, early } = countAnswers(stored);
          return { conversation, delivered, early, form: openForm(stored) };
        };
        try {
          const answers = await leased.nextAnswers({ signal: call.signal, includeEarly });
          if (!answers) {
            const { outage } = leased;
            return outage === undefined ? stillWaiting(state()) : unreachable(state(), outage);
          }
          const seen = { ...state(), ...(includeEarly && { early: 0 }) };
          return answered(seen, answers, leased.stored, call.pool.now());
        } catch (error) {
          if (!isEndError(error)) throw error;
          return ended(state());
        }
      }),
  });

/** What the relay and this machine have of a conversation. */
interface State {
  readonly conversation: Conversation;
  readonly delivered: number;
  /** Answers that are passed over. */
  readonly early: number;
  /** The form that is open, as JSON text. */
  readonly form: string | undefined;
}

function answered(state: State, entries: readonly Entry[], stored: Messages, now: number): Report {
  const { conversation, delivered, early, form } = state;
  const { refCode, responseCount } = conversation;
  const decided = entries.find(isDecision);
  const decision =
    decided && describeDecision(decided, { form: decidedForm(stored, decided), conversation, now });
  const messages = entries.filter((entry) => entry !== decided);
  const isOpen = form !== undefined;
  const hasMore = responseCount - delivered - entries.length - early > 0;
  const next = hasMore
    ? 'There are more answers already: call wait_for_answer again before you continue.'
    : (decision?.next ?? (isOpen ? nextWhileOpen(refCode) : nextAfterAnswer));
  const text = [
    ...messages.flatMap((message) => describeAnswer(message, conversation)),
    ...(decision?.text ?? []),
    isOpen ? `This is a message, and no decision. ${undecided}` : undefined,
  ];
  const { data, ...report } = reportOf(
    state,
    decision ? outcomes[decision.data.action] : 'answered',
    text,
    next,
  );
  return {
    ...report,
    data: { ...data, ...(decision && { decision: decision.data }) },
    images: entries.flatMap(({ files }) => toImages(files)),
  };
}

const outcomes = { accept: 'accepted', decline: 'declined' } as const;

const nextAfterAnswer =
  'Go on with your work. Call reply to ask back, wait_for_answer if you expect more, close when you are done.';
const nextWhileOpen = (refCode: string) =>
  `If the expert asks something, answer with reply. Then call wait_for_answer with ${refCode} again for the decision.`;

function describeAnswer(entry: Entry, conversation: Conversation) {
  const { text, createdAt, protection, seenYourLast, files } = entry;
  const words = [...(text ? [text] : []), ...describeFiles(files)];
  return [
    `The expert's answer to ${conversation.refCode}, of ${createdAt}. ${describeTrust(protection, conversation)}`,
    seenYourLast === false ? `${writtenBefore} It may not answer that message.` : undefined,
    entry.isUncounted || entry.decision ? uncounted : undefined,
    entry.uncountedAction ? `In it the expert has ${outcomes[entry.uncountedAction]}.` : undefined,
    entry.hasUnknownPart ? unknownPart : undefined,
    entry.isNote ? 'It has nothing else, and is no answer.' : undefined,
    words.length > 0 ? quoteExpert(words.join('\n')) : undefined,
  ];
}

const uncounted =
  'With it came a decision that does not count: it is about an older form, or was made without your last message, or is one of two that differ, or came after the one that you were given. Take it neither for a yes nor for a no. If it came after one that you have acted on, tell your user.';

function stillWaiting(state: State): Report {
  const { refCode, expiresAt, isPickedUp, status } = state.conversation;
  const news = status === 'responded' || isPickedUp ? 'it was picked up' : 'no expert has picked it up yet';
  const text = [
    `${refCode} has no new answer, and ${news}.`,
    state.form === undefined ? undefined : undecided,
    describeUnsent(state.conversation),
  ];
  const next = `Call wait_for_answer with ${refCode} again, or do other work before. It is open until ${expiresAt}.`;
  return reportOf(state, 'still_waiting', text, next);
}

/** It is unknown whether there are answers, so the text says nothing about them. */
function unreachable(state: State, outage: string): Report {
  const { refCode, expiresAt } = state.conversation;
  const text = [
    `Whether the expert has answered ${refCode} is not known. ${outage}`,
    'Nothing is lost: an answer that came in the meantime is returned once the relay answers again.',
    state.form === undefined ? undefined : 'No decision has arrived: do not act as if it were approved.',
    describeUnsent(state.conversation),
  ];
  const next = `Wait a minute, then call wait_for_answer with ${refCode} again. It is open until ${expiresAt}.`;
  return reportOf(state, 'unreachable', text, next);
}

function ended(state: State): Report {
  const { conversation, form } = state;
  const { refCode, status } = conversation;
  const text = [
    `${refCode} is ${status}: there are no more answers, and none will come.`,
    describeClosing(conversation, 'agent') || undefined,
    form === undefined ? undefined : `It ended without a decision. ${undecided}`,
    describeUnsent(conversation),
  ];
  const next =
    form === undefined
      ? 'If you still need help, call ask_expert.'
      : 'Do not do what you asked about. If you still need a decision, call ask_expert.';
  return reportOf(state, status === 'expired' ? 'expired' : 'closed', text, next);
}

type Outcome =
  | (typeof outcomes)[keyof typeof outcomes]
  | 'answered'
  | 'still_waiting'
  | 'unreachable'
  | 'closed'
  | 'expired';

function reportOf(state: State, outcome: Outcome, text: Report['text'], next: string): Report {
  const { conversation, early, form } = state;
  const { refCode, status, unsent } = conversation;
  return {
    text: [`Outcome: ${outcome}`, ...text, describeEarly(early), `Next: ${next}`],
    data: {
      outcome,
      reference: refCode,
      status,
      form_is_open: form !== undefined,
      unsent: unsent.length,
      passed_over: early,
    },
  };
}
