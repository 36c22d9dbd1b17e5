import type { Channel } from '../crypto/channel.ts';
import type { ChannelState } from '../crypto/history.ts';
import type { Role } from '../crypto/key-exchange.ts';
import type { Members } from '../transport/shape.ts';
import type { ReadMessage } from './message.ts';
import type { Head } from './page.ts';

/** A form that the expert can answer. */
export interface OpenForm {
  /** Names it in an answer, in base64: the digest of the question that has it, or the hash of the message. */
  readonly of: string;
  /** JSON text, unchecked. */
  readonly text: string;
}

/** The checks that differ between the two sides of a conversation. */
export interface Side {
  readonly role: Role;
  /** Whether other devices may send messages of this side, which the user of this one has not been shown. */
  readonly hasDevices: boolean;
  /** Whether the agent's keys are in the request. */
  readonly agentSentKeys: boolean;
  /** Whether plain text is accepted although the agent sent keys. */
  readonly acceptUnprotected: boolean;
  /** Whether the expert's keys are signed. */
  readonly isSigned: boolean;
  /** The form that came with the question. */
  readonly form: OpenForm | undefined;
  /** Whether the caller gets a message, besides the checks that all go through. */
  isForCaller(message: ReadMessage): boolean;
  /** Throws when this side must not go on because of a message that was read. */
  readonly check?:
    | ((message: Pick<ReadMessage, 'messageId' | 'hash' | 'text' | 'parts'>, record: Members) => void)
    | undefined;
  /** Checks the keys that the relay shows. Returns the channel once there are keys of both sides. */
  checkKeys(head: Head): Promise<Channel | undefined>;
  /** Whether this agent has closed the question without a decision, whatever the relay states. */
  readonly isWithdrawn?: boolean | undefined;
  /** Reads the store. It must happen before the list is read: what other clients store later may be newer than the list. */
  readStore?(): Promise<void>;
  /** Checks the history once the list was read to its end. */
  checkHistory?(state: ChannelState | undefined): Promise<void>;
}
