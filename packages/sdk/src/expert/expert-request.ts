import type { DecisionState } from '../forms/decide.ts';
import type { Content, Form } from '../forms/form.ts';
import type { FormAnswer } from '../forms/form-answer.ts';
import type { RelayError, RelayErrorCode, RelayErrorReason } from '../relay-error.ts';
import type { ContextMessage, Follows, Party, RequestStatus } from '../request-state.ts';
import type { ClosingOptions } from '../thread/conversation-base.ts';
import type { Message } from '../thread/message.ts';
import type { MessageParts } from '../thread/message-parts.ts';
import type { SendOptions, SendResult } from '../thread/sending.ts';

/** A decision of the expert. */
export type Deciding = (
  | { readonly action: 'accept'; readonly content: Content }
  | { readonly action: 'decline'; readonly content?: undefined }
) & {
  /** The `of` of the form that your user was shown. If another one is open, nothing is sent. Default: the open form. */
  readonly of?: string | undefined;
};

/** A decision of the expert that counts, as the list has it. */
export type CountedDecision = FormAnswer & {
  readonly messageId: string;
  /** When the relay received it, ISO 8601, UTC. `decidedAt` is by the clock of the device on which it was decided. */
  readonly createdAt: string;
};

/** A form that can be answered. */
export interface RequestForm {
  /** Undefined if this version cannot show it. Then it can be declined, or answered in words. */
  readonly form: Form | undefined;
  /** Names it, in base64. */
  readonly of: string;
}

/** An answer that was not sent yet. */
export interface PendingAnswer extends MessageParts {
  readonly messageId: string;
  readonly text: string;
  /**
   * - `waiting`: it is sent before the next answer, by `refresh`, and while a loop over `messages` runs;
   * - `held`: it waits for your user, since the agent has written something that had not been shown when it was written, or since it
   *   answers a form and was written more than ten minutes ago, or before a restart;
   * - `refused`: the relay refused its content, with `code` and `reason` as in a `RelayError`.
   *
   * `answer` with its `messageId` sends it again as it was written, `discard` removes it. Another `answer` takes the place of one that is
   * held.
   */
  readonly state: 'waiting' | 'held' | 'refused';
  readonly code?: RelayErrorCode | undefined;
  readonly reason?: RelayErrorReason | undefined;
}

/**
 * What goes with an answer of the expert.
 *
 * @example
 * await request.answer('Only after the backup.', { decision: { action: 'decline' } });
 */
export interface AnswerOptions extends SendOptions {
  /**
   * The id of the message, a UUID in lower case. Name one to find the answer in {@link ExpertRequest.pending}, or to send it again: an
   * answer with the same id is sent once, as it was first written. Default: a new one.
   */
  readonly messageId?: string | undefined;
  /**
   * The answer to {@link ExpertRequest.form}; the text is its comment, and may be empty. Without encryption, the message
   * says the same in words. A decision that was not sent within ten minutes, or before a restart, is held like one that has
   * not seen a newer message.
   */
  readonly decision?: Deciding | undefined;
  /**
   * True to allow plain text, which the relay can read, when only one side has keys. Otherwise `answer` throws:
   * `no_keys_yet` when the agent sent keys and the expert has no root; `invalid_input` when the expert has a root and
   * the agent sent no keys, since the relay could have removed them. When both have keys, the answer is encrypted in
   * any case. Default false.
   */
  readonly plaintext?: boolean | undefined;
  /**
   * True to send the text although the agent has written something that was not shown. The agent is informed that the text
   * had not seen it. Default false: then `answer` throws `newer_message`, and the text is held. A loop over `messages` is not
   * asked, unless it gives `shown`: it gets the newer message next.
   */
  readonly evenIfNewer?: boolean | undefined;
  /**
   * True to send the text although {@link ExpertRequest.missingParts} have not come within 30 s of the pick-up. Never without the
   * question of a confidential request. Default false: then `answer` throws `parts_missing`.
   */
  readonly withoutParts?: boolean | undefined;
  /**
   * Only with a session: called once the text is in the store. From then on it will be sent even if the page is closed
   * before `answer` returns.
   */
  readonly onStored?: (() => void) | undefined;
  /**
   * Only with a session: called with the body of the call that sends the answer, once that is stored. The answer is sent once the promise
   * resolves, if the agent has not written meanwhile: the list is read before. An abort by `signal` until then removes it.
   */
  readonly beforeSending?: ((body: object) => Promise<void>) | undefined;
}

/**
 * A request for help, as the expert sees it.
 *
 * @example
 * const request = await expert.request('HS-7KQ2M9XD');
 * await request.pickUp();
 * for await (const { from, text } of request.messages) {
 *   if (from === 'agent') await request.answer(`You said: ${text}`);
 * }
 */
export interface ExpertRequest {
  readonly requestId: string;
  /** The name of the agent's key, as the relay states it. Only sessions get it. Undefined where the question is refused. */
  readonly agent: string | undefined;
  /** The id of the agent's key at the relay. Only sessions get it. */
  readonly agentKeyId: string | undefined;
  /** The name that the agent gave itself. It is signed with the question. */
  readonly agentName: string | undefined;
  /** The code that people use, such as `HS-7KQ2M9XD`. */
  readonly refCode: string;
  /** As last seen. */
  readonly status: RequestStatus;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** ISO 8601, UTC. */
  readonly expiresAt: string;
  readonly responseCount: number;
  /** The agent's words for sorting, as the relay states them. */
  readonly tags: readonly string[];
  /** Which side closed the conversation, and why, as the relay states it: neither is encrypted or signed. */
  readonly closedBy: Party | undefined;
  readonly closeReason: string | undefined;
  /** When the relay erased the messages, some time after the end. ISO 8601, UTC. */
  readonly erasedAt: string | undefined;
  /**
   * Why this request is refused: then nothing can be read or sent, and every call throws this error. If its question,
   * its keys or its code have changed since they were first shown, question, context and names are empty.
   */
  readonly refused: RelayError | undefined;
  /** It is not encrypted: the relay can read it. It is empty once the relay has erased the content. */
  readonly question: string;
  readonly context: readonly ContextMessage[];
  readonly plaintext: string | undefined;
  /** The form that came with the question, signed with it. A later message may have replaced it: see `form`. */
  readonly answerForm: Form | undefined;
  /** The newest form of the agent, as last read: only this one can be answered. */
  readonly form: RequestForm | undefined;
  /**
   * What this expert's answers to `form` amount to, as the agent computes it:
   * - `open`: none of them counts;
   * - `reopened`: the agent wrote at the same time, and your user must decide again;
   * - `accepted`, `declined`;
   * - `conflict`: accepted with different contents, by several devices. The agent gets an error, unless you decline.
   *
   * Undefined without a form. An agent that has got a decision keeps it, whatever comes later: where `decisions` has several,
   * do not show this alone.
   */
  readonly decision: DecisionState | undefined;
  /**
   * This expert's answers to `form` that count, in the order of the list; one that is equal to the one before is left out. Only
   * the agent knows which one its program was given. So show each of several with its time, and that the agent may have acted on
   * the first: "Approved 12:11, then declined 12:15; the agent may have acted on the first."
   */
  readonly decisions: readonly CountedDecision[];
  /**
   * Whether the agent has written something at the same time as your newest answer, which it therefore does not count: neither had seen
   * the other. Answer again. For a decision the same as `reopened`.
   */
  readonly isReopened: boolean;
  /**
   * The announced files or confidential question that have not arrived yet. The agent sends them automatically after the
   * pick-up. An answer waits for it. The number of files is not signed: the relay can change it.
   */
  readonly missingParts: Follows | undefined;
  /**
   * The agent's messages that {@link Expert.requests} or `receive` has returned, in order: the confidential question, files, and what it
   * has written since. They count as shown.
   */
  readonly received: readonly Message[];
  /** Whether the agent has sent keys. Then answers can be encrypted. */
  readonly encrypted: boolean;
  /** Whether this expert's keys were sent to the agent. */
  readonly isPickedUp: boolean;
  /** Answers that were not sent yet. With a session there is at most one, which stands in the store. */
  readonly pending: readonly PendingAnswer[];
  /**
   * All messages of both sides, decrypted, then new ones as they come. It ends with the conversation. Each message is
   * returned once.
   */
  readonly messages: AsyncIterable<Message>;
  /**
   * Sends this expert's keys, so that both sides can encrypt. A repetition, from any device, changes nothing. If the
   * agent has no keys, nothing is sent.
   */
  pickUp(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /**
   * Waits for {@link ExpertRequest.missingParts}, for up to 30 s after the pick-up, which it makes if they are missing. Returns the agent's
   * messages, which then count as shown: `received`. A loop over `messages` returns them, too.
   *
   * @throws RelayError `parts_missing`
   *
   * @example
   * const [first] = await request.receive();
   * const question = request.question === confidentialQuestion ? first?.text : request.question;
   */
  receive(options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly Message[]>;
  /**
   * Sends an answer. It first waits for {@link ExpertRequest.missingParts}, as `receive` does. When both sides have keys it is encrypted, and the request is picked up first if it was not. When
   * it fails, `pending` says whether the text is sent later. With a session, another answer that waits is sent first.
   *
   * @throws RelayError `invalid_input` when there is no form to decide, or the content does not fit it; `newer_message`; `parts_missing`
   *
   * @example
   * if (request.form?.form && isApproval(request.form.form)) {
   *   await request.answer('Only this one.', { decision: { action: 'accept', content: {} } });
   * }
   *
   * @example
   * // An interactive program says what its user had been shown when the answer was written.
   * try {
   *   await request.answer(text, { shown: messageIds });
   * } catch (error) {
   *   if (!RelayError.is(error, 'newer_message')) throw error;
   *   const newIds = await showNewMessages();
   *   if (await askUser('The agent has written again. Send it unchanged?')) {
   *     await request.answer(text, { shown: [...messageIds, ...newIds] });
   *   } else await request.discard();
   * }
   */
  answer(text: string, options?: AnswerOptions): Promise<SendResult>;
  /**
   * Removes all answers from `pending`, or those with these ids, and returns their texts. Of one that was tried, the list is read
   * first: if the relay has it, it was sent, and is not returned. A call of `answer` that waits to send one of them throws. One that a
   * lost call carries may still arrive: then `messages` has it.
   *
   * @throws RelayError when the list cannot be read: then it stays
   */
  discard(messageIds?: readonly string[]): Promise<readonly string[]>;
  /**
   * Reads new messages and the status once, without waiting, and sends what waits.
   *
   * @throws RelayError `newer_message` when a text is held
   */
  refresh(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** Ends the conversation for both sides. */
  close(options?: ClosingOptions): Promise<void>;
}
