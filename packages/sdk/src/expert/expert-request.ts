import type { Protection, Sending, SendOptions } from '../agent/conversation.ts';
import type { ContextMessage, RequestStatus } from '../request-state.ts';

/** A message of either side, as the expert sees it. */
export interface ExpertMessage {
  /** `consumer` is the agent. */
  readonly role: 'consumer' | 'provider';
  readonly text: string;
  readonly messageId: string;
  /** When the relay took it, ISO 8601, UTC. */
  readonly createdAt: string;
  readonly protection: Protection;
  /** Of the agent's: whether it had seen your last answer when writing this; undefined when that is unknown. */
  readonly seenYourLast?: boolean | undefined;
}

export interface AnswerOptions extends SendOptions {
  /**
   * True to allow plain text, which the relay can read, when only one side has keys. Otherwise `answer` throws:
   * `no_keys_yet` when the agent sent keys and the expert has no root; `invalid_input` when the expert has a root and
   * the agent sent no keys, since the relay could have removed them. When both have keys, the answer is encrypted in
   * any case. Default false.
   */
  readonly plaintext?: boolean | undefined;
  /**
   * Called once the text is in the memory of an expert that works by a session: from then on it goes out even if the
   * page is closed before `answer` has settled.
   */
  readonly onKept?: (() => void) | undefined;
}

/**
 * A request for help, as the expert sees it.
 *
 * @example
 * const request = await expert.request('HS-7KQ2M9XD');
 * await request.pickUp();
 * for await (const { role, text } of request.messages) {
 *   if (role === 'consumer') await request.answer(`You said: ${text}`);
 * }
 */
export interface ExpertRequest {
  readonly requestId: string;
  /** The name of the agent's key, which only a session is given. */
  readonly agent: string | undefined;
  /** What people call it by, such as `HS-7KQ2M9XD`. */
  readonly refCode: string;
  /** As last seen. */
  readonly status: RequestStatus;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** ISO 8601, UTC. */
  readonly expiresAt: string;
  readonly responseCount: number;
  /** When the relay erased what was said, as it does some time after the end. ISO 8601, UTC. */
  readonly erasedAt: string | undefined;
  /** As it came in clear: the relay can read it. */
  readonly question: string;
  readonly context: readonly ContextMessage[];
  readonly plaintext: string | undefined;
  /** Whether the agent has sent keys, and so can be answered encrypted. */
  readonly encrypted: boolean;
  /** Whether this expert's keys were sent. */
  readonly isPickedUp: boolean;
  /**
   * Answers that have not gone out yet. They do so before the next one, or by `refresh`: do not send them again. Of
   * those that can go out no more, since the conversation has ended or the relay has refused them, `discard` makes an end.
   */
  readonly unsent: readonly string[];
  /**
   * All messages of both sides, decrypted, then new ones as they come; ends with the conversation. Each is handed
   * out once.
   */
  readonly messages: AsyncIterable<ExpertMessage>;
  /**
   * Sends this expert's keys, so that both can encrypt. Doing it again, from any device, changes nothing; an agent
   * that has no keys is sent none.
   */
  pickUp(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /**
   * Sends an answer. When both sides have keys it is encrypted, and the request is picked up first if it was not. When
   * it fails, `unsent` says whether the text is sent later.
   */
  answer(text: string, options?: AnswerOptions): Promise<Sending>;
  /** Takes out of `unsent` all texts that cannot have gone out, and gives them back. */
  discard(): Promise<readonly string[]>;
  /** Reads once what is new, without waiting for anything. */
  refresh(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** Ends it for both sides. */
  close(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
}
