import type { Conversation } from '@expert-relay/sdk';
import { hasEnded } from '@expert-relay/sdk/internal';
import { safeName } from '@expert-relay/sdk/safe';
import * as z from 'zod';
import { explainError } from '../../explain-error.ts';
import {
  countAnswers,
  type Entry,
  type Messages,
  openForm,
  type StoredConversation,
} from '../../store/conversations.ts';
import { describeClosing } from '../../terminal/closing-words.ts';
import { writtenBefore } from '../../terminal/protection-words.ts';
import type { ConversationPool } from '../conversation-pool/conversation-pool.ts';
import { toChoice, undecided } from './decision.ts';
import { describeEarly, describeUnsent, quoteExpert } from './sentences.ts';
import { defineTool, type Report, reference } from './tool.ts';

/** Of a conversation that may not have reached the relay. */
const unconfirmed = 'unconfirmed';

/** Of a question in the list, in characters: enough to recognise it. */
const shownLength = 100;

export const conversationStatus = defineTool({
  name: 'conversation_status',
  title: 'Get the state of a conversation',
  description:
    'Returns the state of a conversation without waiting: whether it was picked up, how many answers wait for you, until when it is open. Without a reference it lists all conversations of this machine and this API key with their questions: for when you lost a reference.',
  annotations: { readOnlyHint: true },
  input: {
    reference: reference.optional(),
    transcript: z
      .boolean()
      .optional()
      .describe('Repeats all messages, with the answers that you were given. Needs a reference.'),
  },
  maxSeconds: () => 30,
  async run({ reference, transcript = false }, call) {
    if (reference === undefined) return await listAll(call.pool, call.signal);
    return call.pool.use(reference, call, async (leased) => {
      await leased.conversation.refresh({ signal: call.signal });
      return describe(leased.conversation, leased.stored, transcript);
    });
  },
});

function describe(conversation: Conversation, stored: Messages, withTranscript: boolean): Report {
  const { refCode, status, expiresAt, erasedAt, responseCount, fingerprint, isPickedUp, unsent } =
    conversation;
  const { delivered, early } = countAnswers(stored);
  const waiting = Math.max(0, responseCount - delivered);
  const pickedUp = isPickedUp || responseCount > 0;
  const isOpen = !hasEnded({ status });
  const next =
    waiting > 0 || isOpen
      ? `Call wait_for_answer with ${refCode}.`
      : 'It has ended. If you still need help, call ask_expert.';
  const form = openForm(stored);
  return {
    text: [
      `${refCode} is ${status}, ${isOpen ? `open until ${expiresAt}` : 'and accepts no more messages'}.`,
      describeClosing(conversation, 'agent') || undefined,
      pickedUp ? 'The expert has picked it up.' : 'No expert has picked it up yet.',
      `Answers: ${delivered} given to you, ${waiting} waiting.`,
      erasedAt && `The relay erased the messages on ${erasedAt}, as it does some time after the end.`,
      form === undefined ? undefined : undecided,
      describeEarly(early),
      fingerprint && `The expert's fingerprint: ${fingerprint}`,
      describeUnsent(conversation),
      ...(withTranscript ? transcriptOf(stored) : []),
      `Next: ${next}`,
    ],
    data: {
      reference: refCode,
      status,
      answers_given: delivered,
      answers_waiting: waiting,
      picked_up: pickedUp,
      form_is_open: form !== undefined,
      unsent: unsent.length,
    },
  };
}

/** The messages so far, without answers that were not delivered yet. */
const transcriptOf = ({ entries }: Messages): readonly string[] =>
  entries.filter(({ from, isDelivered }) => from === 'agent' || isDelivered).map(quoteEntry);

function quoteEntry({ from, text: words, createdAt, seenYourLast, decision, files = [] }: Entry): string {
  const names = files.map(({ name }) => safeName(name));
  const text = [
    words,
    decision && `Decision about your form: ${JSON.stringify(toChoice(decision))}`,
    names.length > 0 && `Files: ${JSON.stringify(names)}`,
  ]
    .filter(Boolean)
    .join('\n');
  if (from === 'agent') return `You, ${createdAt}:\n${text}`;
  const note = seenYourLast === false ? ` ${writtenBefore}` : '';
  return `The expert, ${createdAt}:${note}\n${quoteExpert(text)}`;
}

/** One call shows which have ended since they were last seen here. */
async function listAll(pool: ConversationPool, signal: AbortSignal): Promise<Report> {
  const broken: string[] = [];
  const stored = await pool.list((error) => broken.push(explainError(error, signal).message));
  const owner = await pool.owner();
  const isOwn = ({ state }: StoredConversation) => state.owner === owner;
  const mayHaveChanged = stored.some(
    (one) => one.state.request && !(hasEnded(one.state.request) && isOwn(one)),
  );
  const current = mayHaveChanged ? await pool.current(signal).catch(() => undefined) : new Map();
  // Those of a key before its rotation belong to the same user. Those of another user's key are not shown.
  const isListed = ({ state: { request } }: StoredConversation) =>
    request !== undefined && current?.get(request.refCode)?.requestId === request.requestId;
  const all = stored.filter((one) => isOwn(one) || isListed(one));
  const conversations = all.map(({ entries: [asked], state: { id, request } }) => {
    const question = shortened(asked?.text ?? '');
    if (!request) return { reference: id, status: unconfirmed, question } as const;
    const { refCode: reference, expiresAt } = request;
    const status = hasEnded(request) ? request.status : (current?.get(reference)?.status ?? request.status);
    return { reference, status, expiresAt, question };
  });
  const then =
    conversations.length > 0
      ? 'Call conversation_status or wait_for_answer with one of these references.'
      : 'Call ask_expert to ask a question.';
  // Otherwise a model would take a question that it has asked for one that it has not.
  const next =
    broken.length === 0
      ? then
      : `${then} A conversation is missing, since its file is broken. Tell your user: ${broken.join(' ')}`;
  return {
    text: [
      conversations.length === 0
        ? 'No conversation is kept here.'
        : current
          ? 'Oldest first:'
          : 'The relay could not be asked. As last seen, oldest first:',
      ...conversations.map(({ reference, status, expiresAt, question }) =>
        status === unconfirmed
          ? `${reference}: ${question}. It is not known whether it has arrived. wait_for_answer continues with it, and never asks it twice.`
          : `${reference}: ${question}, ${status}, ends ${expiresAt}`,
      ),
      `Next: ${next}`,
    ],
    data: { conversations: conversations.map(({ reference, status }) => ({ reference, status })) },
  };
}

/** The beginning of a question, as one line. */
function shortened(question: string): string {
  const [first = '', second] = question.trim().split(/\s*\n\s*/, 2);
  const line = first.slice(0, shownLength).toWellFormed();
  return JSON.stringify(line.length < first.length || second !== undefined ? `${line}…` : line);
}
