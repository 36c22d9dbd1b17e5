import type { FileToSend } from './parts-to-send.ts';

/** The result of sending a message. */
export interface Sending {
  readonly messageId: string;
  /** False while it waits in `unsent` for the other side's keys. */
  readonly isSent: boolean;
}

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
