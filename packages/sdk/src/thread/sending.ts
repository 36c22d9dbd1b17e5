import type { Draft } from './outbox.ts';
import type { FileToSend, PartsToSend } from './parts-to-send.ts';

/** The result of sending a message. */
export interface Sending {
  readonly messageId: string;
  /** False while it waits in `unsent` for the other side's keys. */
  readonly isSent: boolean;
}

/**
 * What goes with a message of either side.
 *
 * @example
 * const log = { name: 'deploy.log', bytes: new TextEncoder().encode('...') };
 * await conversation.send('This is the log.', { files: [log] });
 */
export interface SendOptions {
  /**
   * The ids of the messages of both sides that your user had been shown when the text was written. The message says that these
   * were seen, and nothing that came later: also if the text waits and is sent after a restart. What this client has sent need not
   * be named. Default: all messages that were returned to your program, by a loop or by
   * `waitForAnswer`. A program for people, which reads before it shows, names them.
   */
  readonly shown?: readonly string[] | undefined;
  /** At most 8, 700,000 bytes together. Only encrypted messages carry files. The text may then be empty. */
  readonly files?: readonly FileToSend[] | undefined;
  /** Cancels sending, unless it has started: then the text stays in `unsent` until it was sent. */
  readonly signal?: AbortSignal | undefined;
}

/** A text that may have been sent. It is sent again unchanged until the relay answers. */
export interface Outgoing {
  readonly draft: Draft;
  readonly body: object;
  /** Whether another client encrypted it. Then no message that is encrypted here links to it. */
  readonly isOthers?: boolean | undefined;
}

export interface SenderState {
  readonly outgoing: Outgoing | undefined;
  readonly drafts: readonly Draft[];
}

export interface SendingOptions extends PartsToSend {
  /** A text with this id that waits is sent again as it was written. Default: a new id. */
  readonly messageId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The ids of the messages that the author had been shown. Default: those that were taken from the mailbox. */
  readonly shown?: readonly string[] | undefined;
  /** Whether the text waits for its author while there are messages that the author was not shown. */
  readonly isHeldIfNewer?: boolean | undefined;
  /** Called once the text is in the outbox. */
  readonly onKept?: (() => void) | undefined;
}

/** Sends the texts of one side in order, each exactly once, also after errors and restarts. */
export interface Sender {
  readonly state: SenderState;
  readonly unsent: readonly Draft[];
  /** What has to happen before this one of them is sent: nothing, its author's decision, or another content. */
  stateOf(draft: Draft): 'waiting' | 'held' | 'refused';
  /** Whether texts wait to be encrypted. */
  readonly hasDrafts: boolean;
  /** Whether a text could be sent now. */
  readonly isDue: boolean;
  /**
   * Returns whether the text was sent. If not, it waits, or is held.
   *
   * @throws RelayError also when `discard` removed the text before it was sent
   */
  send(
    text: string,
    options: SendingOptions,
  ): Promise<{ readonly messageId: string; readonly isSent: boolean }>;
  /** Sends all texts that can be sent now. */
  flush(signal?: AbortSignal): Promise<void>;
  /** Saves the unsent texts in the outbox. */
  saveUnsent(): Promise<void>;
  /**
   * Takes over the texts of other clients that wait in the outbox. Those that the relay has accepted must be in the list.
   * @throws RelayError `message_missing`
   */
  recall(signal?: AbortSignal): Promise<void>;
  /**
   * Removes texts with these ids, or all, and returns those that were removed. Of one that was tried, the list is read first: it may
   * have arrived. @throws RelayError when the list cannot be read
   */
  discard(messageIds?: readonly string[]): Promise<readonly string[]>;
}
