import type { Conversation } from '@expert-relay/sdk';
import { digestSubmission } from '@expert-relay/sdk/crypto';
import type { Context } from '../context.ts';
import { explainError, isRefusal } from '../explain-error.ts';
import { Failure } from '../failure.ts';
import { answerEntry, type Journal, openJournal } from '../relay/journal.ts';
import { notStored, openAgent } from '../relay/open-agent.ts';
import { findRequest, type RawConversation, readConversation } from '../relay/read-requests.ts';
import { isEndError } from '../relay/request-state.ts';
import type { Entry, StoredConversation } from '../store/conversations.ts';
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
  const { access, conversations, connect, outages } = openAgent(context, { acceptsUnprotected });
  const { signal, err } = context;
  const raw = await readConversation(access, await findRequest(access, refCode, signal), signal);
  const stored = conversations.find(refCode);
  if (!stored) {
    const view = { ...stateOf(raw), context: [], question: '', messages: [], unsent: [] };
    show(view);
    err.paragraph(
      `\n${notStored(refCode).message} Its texts cannot be checked here, so they are not shown.`,
      {
        style: 'yellow',
      },
    );
    return view;
  }
  // An answer must not be shown with another question.
  if (!(await isAsAsked(stored, raw))) throw questionAltered(refCode);
  const journal = openJournal(conversations);
  const relay = connect(journal.save);
  try {
    const conversation = await relay.resume(journal.lock(stored.state.id).state, { signal });
    const refused = await readNew(conversation, journal, signal);
    const { fingerprint, verification, status, unsent } = conversation;
    const messages = said(conversations.find(stored.state.id) ?? stored, raw, unsent);
    const about = { status, fingerprint, verification, refused };
    const view = { ...headOf(raw, stored), ...about, messages, unsent };
    show(view);
    if (await context.out.written()) journal.markShown(stored.state.id);
    return view;
  } finally {
    outages.stop();
    relay.stop();
    journal.release();
  }
}

/** Whether the relay returns the same question. Nothing is stored to compare a plain text conversation with, since the relay could write its answers anyway. */
async function isAsAsked({ state }: StoredConversation, raw: RawConversation): Promise<boolean> {
  if (state.submissionDigest === undefined || raw.erasedAt) return true;
  const { context, ...submitted } = raw;
  const submission = { ...submitted, messages: context ?? [] };
  const digest = await digestSubmission(submission).catch(() => new Uint8Array());
  return Buffer.from(digest).toString('base64') === state.submissionDigest;
}

const questionAltered = (refCode: string) =>
  new Failure(
    'untrusted',
    `The relay shows another question for ${refCode} than was asked. Do not trust this relay before you know why.`,
    { code: 'question_altered' },
  );

/** New answers are stored, and `relay ask --resume` still returns them. */
async function readNew(conversation: Conversation, journal: Journal, signal: AbortSignal) {
  try {
    await conversation.refresh({ signal });
    for (;;) {
      const answer = await conversation.waitForAnswer({ timeout: 0, signal, any: true });
      journal.add(conversation, answerEntry(answer));
    }
  } catch (error) {
    const failure = explainError(error, signal);
    if (isEndError(error) || failure.code === 'timeout') return undefined;
    if (isRefusal(failure)) return failure;
    throw failure;
  }
}

const stateOf = ({
  requestId,
  refCode,
  status,
  createdAt,
  expiresAt,
  erasedAt,
  ...raw
}: RawConversation) => ({
  requestId,
  refCode,
  status,
  createdAt,
  expiresAt,
  tags: raw.tags,
  ...(status === 'closed' && { closedBy: raw.closedBy, closeReason: raw.closeReason }),
  ...(erasedAt && { erasedAt }),
});

/** After the erasure nothing of the relay's is shown, since nothing could be compared: only what this machine has stored. */
function headOf(raw: RawConversation, { entries }: StoredConversation) {
  const asked = entries.find(isQuestion);
  const { form: answerForm, files } = asked ? storedParts(asked) : {};
  const head = { ...stateOf(raw), answerForm, files };
  if (!raw.erasedAt)
    return { ...head, context: raw.context ?? [], question: raw.question ?? raw.plaintext ?? '' };
  return { ...head, context: [], question: asked?.text ?? '' };
}

/** Whether it is the question that the relay could read. A confidential one is a message. */
const isQuestion = ({ role, messageId, protection }: Entry): boolean =>
  role === 'consumer' && messageId === undefined && protection === 'plaintext';

/**
 * The stored messages in the relay's order, since clocks may differ. The question and unsent texts are shown elsewhere.
 */
function said(stored: StoredConversation, raw: RawConversation, unsent: readonly string[]) {
  const { entries } = stored;
  const positions = new Map(raw.messages.map(({ messageId }, index) => [messageId, index]));
  // A confidential question is sent first, under an id that is not known here.
  const positionOf = ({ messageId }: Entry) =>
    messageId === undefined ? -1 : (positions.get(messageId) ?? positions.size);
  return entries
    .filter(({ role, messageId, protection, text }) => {
      if (role === 'provider') return true;
      return messageId === undefined
        ? protection !== 'plaintext' && unsent.length === 0
        : !unsent.includes(text);
    })
    .sort((one, other) => positionOf(one) - positionOf(other))
    .map((entry) => {
      const { role, messageId, createdAt, protection, text, seenYourLast } = entry;
      const about = { role, messageId, createdAt, protection, text, seenYourLast };
      return { ...about, ...storedParts(entry, stored) };
    });
}
