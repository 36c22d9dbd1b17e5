import type { ContentOf } from '../forms/content-of.ts';
import { onAbort, orAbort } from '../transport/waiting.ts';
import type { Conversation } from './conversation.ts';
import type { FormOrSchema, Question } from './question.ts';
import type { AskInternals } from './submission.ts';

export interface Asker {
  ask<const F extends FormOrSchema>(
    question: Question<F>,
    internals?: AskInternals,
  ): Promise<Conversation<ContentOf<F>>>;
}

/** A question that can be closed from its submission on. */
export interface ClosableQuestion<C> {
  /** Ends with the signal of the question. An attempt to submit goes on until `close` or `leaveOpen` ends it. */
  readonly conversation: Promise<Conversation<C>>;
  /**
   * Closes what the relay has, once an attempt to submit has ended, also where opening or saving the conversation has failed. Returns
   * whether the relay had the question.
   */
  close(options?: { readonly signal?: AbortSignal | undefined }): Promise<boolean>;
  /** Ends an attempt to submit. */
  leaveOpen(): void;
}

/** Asks. Where the call has ended while the question was submitted, the relay may still take it: only its answer says what to close. */
export function askClosable<const F extends FormOrSchema>(
  asker: Asker,
  question: Question<F>,
  { onId }: Pick<AskInternals, 'onId'> = {},
): ClosableQuestion<ContentOf<F>> {
  const abandoned = new AbortController();
  let closeAtRelay: ((signal: AbortSignal | undefined) => Promise<void>) | undefined;
  const asking = asker.ask(question, {
    onId,
    lasting: abandoned.signal,
    onSubmitted: (close) => {
      closeAtRelay = close;
    },
  });
  return {
    conversation: orAbort(question.signal, asking),
    async close({ signal } = {}) {
      const release = onAbort(signal, () => abandoned.abort());
      try {
        const conversation = await asking.catch(() => undefined);
        if (conversation) await conversation.close({ signal });
        else await closeAtRelay?.(signal);
        return conversation !== undefined || closeAtRelay !== undefined;
      } finally {
        release();
      }
    },
    leaveOpen: () => abandoned.abort(),
  };
}
