import { type Conversation, confidentialQuestion } from '@expert-relay/sdk';
import type { Context } from '../context.ts';
import { explainError, isRefusal } from '../explain-error.ts';
import { notStored, openAgent } from '../relay/open-agent.ts';
import { isEndError } from '../relay/request-state.ts';
import { takeAnswers } from '../relay/take-answers.ts';
import type { JournalContent } from '../store/conversations.ts';
import { Journal } from '../store/journal.ts';
import type { ConversationView } from './conversation-view.ts';
import { storedParts } from './stored-parts.ts';

interface Showing {
  acceptsUnprotected: boolean;
  show: (view: ConversationView) => void;
}

/** Shows a conversation on an agent's machine, the stored messages and new ones, and remembers what was shown. */
export async function showToAgent(
  context: Context,
  refCode: string,
  { acceptsUnprotected, show }: Showing,
): Promise<ConversationView> {
  const { conversations, connect, outages } = openAgent(context, { acceptsUnprotected });
  const { signal, err } = context;
  const journal = new Journal(conversations);
  const relay = connect(journal);
  try {
    const stored = await conversations.find(refCode);
    if (!stored) {
      const state = await relay.findByRef(refCode, { signal });
      const view = { ...state, context: [], question: '', messages: [], unsent: [] };
      show(view);
      err.paragraph(
        `\n${notStored(refCode).message} Its texts cannot be checked here, so they are not shown.`,
        { style: 'yellow' },
      );
      return view;
    }
    await journal.lock(stored.state.id, refCode);
    const conversation = await relay.resume(stored.state.id, { signal });
    const refused = await readNew(conversation, journal, signal);
    const view = { ...viewOf(conversation, journal.read(stored.state.id)), refused };
    show(view);
    if (await context.out.written()) await journal.markShown(stored.state.id);
    return view;
  } finally {
    outages.stop();
    relay.stop();
    await journal.release();
  }
}

/** New answers are stored, and `relay ask --resume` still returns them. */
async function readNew(conversation: Conversation, journal: Journal, signal: AbortSignal) {
  try {
    await conversation.refresh({ signal });
    throw await takeAnswers(conversation, journal, signal);
  } catch (error) {
    const failure = explainError(error, signal);
    if (isEndError(error) || failure.code === 'timeout') return undefined;
    if (isRefusal(failure)) return failure;
    throw failure;
  }
}

/** The question and the messages are those that this machine has stored: the relay could show others. */
function viewOf(conversation: Conversation, stored: JournalContent): ConversationView {
  const { requestId, refCode, status, expiresAt, tags, closedBy, closeReason, erasedAt } = conversation;
  const { fingerprint, verification, unsent } = conversation;
  const [asked] = stored.entries;
  const isReadable = asked?.protection === 'plaintext';
  const { form: answerForm, files } = asked && isReadable ? storedParts(asked) : {};
  return {
    requestId,
    refCode,
    status,
    createdAt: asked?.createdAt ?? '',
    expiresAt,
    tags,
    closedBy,
    closeReason,
    erasedAt,
    answerForm,
    files,
    context: (isReadable && stored.context) || [],
    question: asked && isReadable ? asked.text : confidentialQuestion,
    fingerprint,
    verification,
    messages: messagesOf(stored, unsent),
    unsent,
  };
}

/** The messages in the order in which this machine sent and got them, without the question that the relay could read and unsent texts. */
function messagesOf(stored: JournalContent, unsent: readonly string[]) {
  return stored.entries
    .filter(({ from, messageId, protection, text }) => {
      if (from === 'expert') return true;
      // Only the question has no id here. If it is confidential, it is sent as a message.
      return (messageId !== undefined || protection !== 'plaintext') && !unsent.includes(text);
    })
    .map((entry) => {
      const { from, messageId, createdAt, protection, text, seenYourLast } = entry;
      const about = { from, messageId, createdAt, protection, text, seenYourLast };
      return { ...about, ...storedParts(entry, stored) };
    });
}
