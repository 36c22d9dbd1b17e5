import type { RequestStatus } from '../request-state.ts';
import type { ConversationState } from './conversation-state.ts';

/**
 * How an answer is protected:
 * - `sequenced`: encrypted, signed, and in its place: nothing before it is missing;
 * - `unsequenced`: encrypted and signed, by a client that does not number its messages;
 * - `plaintext`: not protected. The relay could have written it.
 */
export type Protection = 'sequenced' | 'unsequenced' | 'plaintext';

/** What the expert wrote. */
export interface Answer {
  readonly text: string;
  readonly messageId: string;
  /** When the relay took it, ISO 8601, UTC. */
  readonly createdAt: string;
  readonly protection: Protection;
  /**
   * Whether the expert had seen your last text when writing this: if false, it may answer something that you asked
   * before. Undefined when that is unknown, as it is of an answer that is not `sequenced`.
   */
  readonly seenYourLast?: boolean | undefined;
}

/**
 * How far it is known who answers:
 * - `none`: nobody has picked the request up with keys;
 * - `unverified`: a client that does not prove its keys;
 * - `first-contact`: an expert that was not known before. Compare the fingerprint to be sure;
 * - `known`: the expert of the fingerprint that was given, remembered or verified.
 */
export type Verification = 'none' | 'unverified' | 'first-contact' | 'known';

/** What has become of a message. */
export interface Sending {
  readonly messageId: string;
  /** False while it waits for the other side's keys, in `unsent`. */
  readonly isSent: boolean;
}

export interface SendOptions {
  /** Calls it off, unless it is on its way already: then it stays in `unsent` until it has gone out. */
  readonly signal?: AbortSignal | undefined;
}

export interface WaitOptions {
  /** In milliseconds. Without one it waits until the conversation ends. */
  readonly timeout?: number | undefined;
  /**
   * True for any answer. Else those that had not seen your last text are passed over: they stay for a call with
   * `any`, and for `for await`.
   */
  readonly any?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A conversation with an expert. Each answer is handed out once and in order, to whoever asks first:
 * `for await`, or `waitForAnswer`.
 *
 * @example
 * for await (const answer of conversation) {
 *   console.log(answer.text);
 *   await conversation.send('Thank you, that was it.');
 *   await conversation.close();
 * }
 */
export interface Conversation extends AsyncIterable<Answer> {
  /** Of this conversation alone, from before the relay knew of it. */
  readonly id: string;
  readonly requestId: string;
  /** What people call it by, such as `HS-7KQ2M9XD`. */
  readonly refCode: string;
  /** As last seen. */
  readonly status: RequestStatus;
  /** ISO 8601, UTC. */
  readonly expiresAt: string;
  /** As last seen; answers that were not handed out yet included. */
  readonly responseCount: number;
  /** When the relay erased what was said, as it does some time after the end. ISO 8601, UTC. */
  readonly erasedAt: string | undefined;
  /** Whether messages are encrypted, or meant to be once the expert's keys are there. */
  readonly isEncrypted: boolean;
  /** Of the expert's identity; undefined as long as nobody has proven one. */
  readonly fingerprint: string | undefined;
  readonly verification: Verification;
  /**
   * Texts that have not gone out yet, since they wait for the expert's keys or the relay could not be reached.
   * They go out by themselves, before whatever is sent next: do not send them again.
   */
  readonly unsent: readonly string[];
  /**
   * Compares the expert's fingerprint with one that came over another channel. The same makes the expert known,
   * here and in the memory.
   *
   * @example
   * if (!conversation.verify('04918 22734 ...')) await conversation.close();
   */
  verify(fingerprint: string): boolean;
  /**
   * Gives the next answer that is known to have seen your last text, or of which that is unknown.
   *
   * @throws RelayError `timeout`, `aborted`, `conversation_closed`, `conversation_expired`, or what was refused.
   */
  waitForAnswer(options?: WaitOptions): Promise<Answer>;
  /**
   * Sends a message. Before the expert's keys are there it waits for them, in {@link Conversation.unsent}; there
   * it stays as well when this fails because the relay cannot be reached.
   */
  send(text: string, options?: SendOptions): Promise<Sending>;
  /** Reads once what is new, without waiting for anything: status, keys and answers are up to date then. */
  refresh(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** Ends it for both sides. What was said can still be read. */
  close(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** Everything to go on from, as JSON: see {@link Relay.resume}. It holds the private keys. */
  export(): ConversationState;
}
