import type { Conversation, SendResult } from '@expert-relay/sdk';
import { type Form, parseForm } from '@expert-relay/sdk/forms';
import type { FileContent } from '../files/file-to-send.ts';
import { newestForm } from '../store/conversations.ts';
import { type Journal, ownEntry } from '../store/journal.ts';
import { isEndError } from './request-state.ts';

export interface FurtherText {
  /** Undefined where only the form is sent again. */
  readonly text?: string | undefined;
  readonly form?: Form | undefined;
  readonly files?: readonly FileContent[] | undefined;
  /** Whether the newest form is sent again. */
  readonly again?: boolean | undefined;
}

interface Sending {
  readonly conversation: Conversation;
  readonly journal: Journal;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Sends a further text of the agent, and notes it in the journal, also one that stays unsent after an error. */
export async function sendText(
  { conversation, journal, now, signal }: Sending,
  { text, form: given, files, again = false }: FurtherText,
): Promise<SendResult> {
  const { id, isEncrypted } = conversation;
  const [earlier, shown] = [journal.undelivered(id), journal.shown(id)];
  const newest = again ? newestForm(journal.read(id)) : undefined;
  const form = newest === undefined ? given : parseForm(newest);
  const note = async (messageId?: string) => {
    const own = { text: text ?? 'Asked again.', form, files, isEncrypted, messageId, now: now() };
    await journal.add(id, ownEntry(own), earlier);
  };
  const sending = again
    ? conversation.askAgain(text, { files, shown, signal })
    : conversation.send(text ?? '', { form, files, shown, signal });
  const sent = await sending.catch(async (error: unknown) => {
    if (!isEndError(error) && isUnsent(conversation, text)) await note();
    throw error;
  });
  await note(sent.messageId);
  return sent;
}

/** Whether the conversation keeps this text, and sends it later. */
export const isUnsent = ({ unsent }: Conversation, text: string | undefined): boolean =>
  text === undefined ? unsent.length > 0 : unsent.includes(text);
