import type { Api } from '../transport/api.ts';
import type { Draft, Outbox } from './outbox.ts';
import type { FileToSend, PartsToSend } from './parts-to-send.ts';
import type { Thread } from './thread.ts';

/** The result of sending a message. */
export interface SendResult {
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

/** What `Sender.send` takes besides the text. */
export interface DraftOptions extends PartsToSend {
  /** A text with this id that waits is sent again as it was written. Default: a new id. */
  readonly messageId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The ids of the messages that the author had been shown. Default: those that were taken from the mailbox. */
  readonly shown?: readonly string[] | undefined;
  /** Whether the text waits for its author while there are messages that the author was not shown. */
  readonly isHeldIfNewer?: boolean | undefined;
  /** Called once the text is in the outbox. */
  readonly onStored?: (() => void) | undefined;
  /** Called with what would be sent. The text is sent once the promise resolves, and gone if `signal` aborts before. */
  readonly beforeSending?: ((body: object) => Promise<void>) | undefined;
}

export interface SenderOptions {
  readonly api: Api;
  readonly thread: Thread;
  /** Whether texts are sent as plain text. */
  readonly isPlain: () => boolean;
  /** Runs before a text is encrypted. */
  readonly prepare: (signal: AbortSignal | undefined) => Promise<void>;
  /** Saves the state. A text is sent only after it was saved. */
  readonly save: () => Promise<void>;
  readonly outbox?: Outbox | undefined;
  /** How long an answer to a form is sent without asking its author again. Only experts write such answers. */
  readonly decisionLastsMs?: number | undefined;
  readonly state?: SenderState | undefined;
}
