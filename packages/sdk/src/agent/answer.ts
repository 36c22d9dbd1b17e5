import type { Protection } from '../thread/message.ts';
import type { MessageParts } from '../thread/message-parts.ts';

/** A message of the expert. */
export interface Answer extends MessageParts {
  /** It may be empty if the message carries something else. */
  readonly text: string;
  readonly messageId: string;
  /** When the relay received it, ISO 8601, UTC. */
  readonly createdAt: string;
  readonly protection: Protection;
  /**
   * Whether the expert had seen your last text when writing this. If false, it may answer an earlier text of yours.
   * Undefined when that is unknown, which is the case for answers that are not `sequenced`.
   */
  readonly seenYourLast?: boolean | undefined;
}
