import type { ContentOf } from '../forms/content-of.ts';
import type { Content } from '../forms/form.ts';
import type { Party, RequestStatus } from '../request-state.ts';
import type { ClosingOptions } from '../thread/conversation-base.ts';
import type { Message } from '../thread/message.ts';
import type { SendOptions, SendResult } from '../thread/sending.ts';
import type { Answer } from './answer.ts';
import type { ConversationState, Verification } from './conversation-state.ts';
import type { Decision, DecisionOptions } from './decision.ts';
import type { FormOrSchema } from './question.ts';

/**
 * What goes with a message of the agent.
 *
 * @example
 * const form = { type: 'object', properties: {} } as const;
 * await conversation.send('May I then remove only the old ones?', { form });
 */
export interface AskAgainOptions extends SendOptions {
  /** A form that the expert is to answer. It replaces the one before. Only in encrypted conversations. */
  readonly form?: FormOrSchema | undefined;
}

/**
 * How long an agent waits for an answer, and for which one.
 *
 * @example
 * const answer = await conversation.waitForAnswer({ timeoutMs: 600_000, includeEarly: true });
 */
export interface WaitOptions {
  /** In milliseconds. Without it, the call waits until the conversation ends. */
  readonly timeoutMs?: number | undefined;
  /**
   * True for any message. Otherwise answers that had not seen your last text are skipped, and so are messages that are no
   * answer (`isNote`): a call with `includeEarly` or a `for await` loop returns them.
   */
  readonly includeEarly?: boolean | undefined;
  /** Ends the wait with `aborted`; the conversation stays open. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What a receipt shows.
 *
 * @example
 * await writeFile('decision.json', await conversation.receipt({ whole: true }));
 */
export interface ReceiptOptions {
  /**
   * True to open all messages that the decision follows, with their files: the receipt then has a private key that opens all messages of
   * this conversation, also later ones, and signs nothing. By default it opens the decision, its form, and a confidential question.
   */
  readonly whole?: boolean | undefined;
  /** Ends the call with `aborted`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A conversation with an expert. Each answer is returned once and in order, by a `for await` loop or by
 * `waitForAnswer`.
 *
 * @example
 * for await (const answer of conversation) {
 *   console.log(answer.text);
 *   await conversation.send('Thank you, that was it.');
 *   await conversation.close();
 * }
 */
export interface Conversation<C = Content> extends AsyncIterable<Answer> {
  /** Unique to this conversation. It exists before the question is sent. */
  readonly id: string;
  readonly requestId: string;
  /** The code that people use, such as `HS-7KQ2M9XD`. */
  readonly refCode: string;
  /** As last seen. */
  readonly status: RequestStatus;
  /** ISO 8601, UTC. */
  readonly expiresAt: string;
  /** As last seen, including answers that were not returned yet. */
  readonly responseCount: number;
  /** When the relay erased the messages, some time after the end. ISO 8601, UTC. */
  readonly erasedAt: string | undefined;
  /** Which side closed the conversation, and why, as the relay states it: neither is encrypted or signed. */
  readonly closedBy: Party | undefined;
  readonly closeReason: string | undefined;
  /** This agent's words for sorting, as the relay states them. */
  readonly tags: readonly string[];
  /** Whether messages are encrypted, or meant to be once the expert's keys are there. */
  readonly isEncrypted: boolean;
  /**
   * Whether an expert has picked the question up, as the relay reports it. The expert's keys are checked with the next answer,
   * before a text is sent, or by {@link Conversation.refresh}: until then `verification` is `none`.
   */
  readonly isPickedUp: boolean;
  /** The fingerprint of the expert's identity; undefined until an expert has proven one. */
  readonly fingerprint: string | undefined;
  readonly verification: Verification;
  /**
   * Texts that were not sent yet, because they wait for the expert's keys or the relay could not be reached. They are
   * sent automatically, before any later text: do not send them again.
   */
  readonly unsent: readonly string[];
  /**
   * Compares the expert's fingerprint with one that you got over another channel. If they are equal, the expert is
   * known from now on, here and in the store.
   *
   * @example
   * if (!conversation.verify('04918 22734 ...')) await conversation.close();
   */
  verify(fingerprint: string): boolean;
  /**
   * Returns the next answer, except those that are known not to have seen your last text.
   *
   * @throws RelayError `timeout`, `aborted`, `closed`, `expired`, or the error of a refused message.
   */
  waitForAnswer(options?: WaitOptions): Promise<Answer>;
  /**
   * Waits until the expert accepts or declines the newest form. The content of an accept was checked against the form
   * and, if it was made of a schema, by the library. Once it has returned a decision, it returns the same one again, also after
   * a restart, until another form is sent. A later decision that differs goes to `onReply`, where you give time to wait.
   *
   * @throws RelayError `answer_invalid` for an answer whose content is not valid: wait again, or send the form again;
   * `answer_conflict` for two accepts with different contents: none counts, also later, before the expert declines or
   * {@link Conversation.askAgain}; `decision_too_old`: see `validForMs`; `withdrawn`: this agent has closed the question; `timeout`, `aborted`,
   * `closed`, `expired`, or the error of a refused message.
   *
   * @example
   * const form = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] } as const;
   * const conversation = await relay.ask({ question: 'How many?', form });
   * const decision = await conversation.waitForDecision({ timeoutMs: 600_000 });
   * if (decision.action === 'accept') console.log(decision.content.count);
   */
  waitForDecision(options?: DecisionOptions): Promise<Decision<C>>;
  /**
   * The same for a form that was sent later, or after a restart: with `form`, of which the newest form was made, the content is
   * typed, and checked by the library of a schema.
   */
  waitForDecision<const F extends FormOrSchema>(
    options: DecisionOptions & { readonly form: F },
  ): Promise<Decision<ContentOf<F>>>;
  /**
   * Sends a message. While there are no keys of the expert, the message waits in {@link Conversation.unsent}. It also
   * stays there when the call fails because the relay cannot be reached. It is sent even if the expert has written
   * something that was not shown yet: the message says so.
   *
   * @example
   * // The user of this program has read the first answer, and not the second one, which has just arrived.
   * await conversation.send('Then I delete it.', { shown: [firstAnswer.messageId] });
   */
  send(text: string, options?: AskAgainOptions): Promise<SendResult>;
  /**
   * Sends the newest form again, after `answer_conflict` or `answer_invalid`. The expert must decide again: earlier answers
   * no longer count. Default text: "Your answers to this form contradict each other. Please decide again."
   */
  askAgain(text?: string, options?: SendOptions): Promise<SendResult>;
  /**
   * The messages of both sides, in order, as the relay has them now: also those that were returned before. The question is not
   * among them, unless it is confidential. Some time after the end there are none: see {@link erasedAt}. That they were returned
   * here does not tell the expert that they were shown.
   */
  messages(options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly Message[]>;
  /**
   * A proof of the decision about the newest form, for those who were not there: `verifyReceipt` checks it without the relay. Write the text
   * to a file as it is. It is made of what the relay has, so it must be made before the relay erases that; see {@link erasedAt}.
   *
   * @throws RelayError `invalid_input` where `waitForDecision` has not returned a decision, and where there is nothing that could prove one:
   * without encryption, or with an expert that does not sign its keys.
   *
   * @example
   * const { conversation } = await relay.approve('Deploy 4711?');
   * await writeFile('decision.json', await conversation.receipt());
   */
  receipt(options?: ReceiptOptions): Promise<string>;
  /** Reads new messages, the status and the keys once, without waiting for answers. */
  refresh(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** Ends the conversation for both sides. Its messages can still be read. */
  close(options?: ClosingOptions): Promise<void>;
  /**
   * All that {@link Relay.resume} needs, as JSON. It contains the private keys. Answers that were returned count as processed: they
   * are not returned again.
   */
  export(): ConversationState;
}
