import { type Conversation, RelayError } from '@expert-relay/sdk';
import { answerEntry, type Journal } from '../store/journal.ts';

/** Stores the answers that were read, without waiting. Returns why there is no further one: `timeout`, unless something is wrong. */
export async function takeAnswers(
  conversation: Conversation,
  journal: Journal,
  signal: AbortSignal,
): Promise<RelayError> {
  try {
    for (;;) {
      const answer = await conversation.waitForAnswer({ timeoutMs: 0, signal, includeEarly: true });
      await journal.add(conversation.id, answerEntry(answer));
    }
  } catch (error) {
    if (error instanceof RelayError) return error;
    throw error;
  }
}
