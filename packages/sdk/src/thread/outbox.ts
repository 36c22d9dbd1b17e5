import type { RelayErrorCode, RelayErrorReason } from '../relay-error.ts';
import type { Sealing } from './shown.ts';

/** A text that is to be sent. */
export interface Draft extends Sealing {
  /** Whether it may be sent as plain text. There may have been keys when it was written and none now. */
  readonly isPlain?: boolean | undefined;
  /** Whether it waits for its author while the other side has written something that the author was not shown. */
  isHeldIfNewer?: boolean | undefined;
  /** The error with which the relay refused its content. Then it is not retried automatically. */
  code?: RelayErrorCode | undefined;
  reason?: RelayErrorReason | undefined;
}

/** What the clients of a side have stored of their texts in a conversation. */
export interface StoredTexts {
  /** Those that wait to be sent. */
  readonly drafts: readonly Draft[];
  /** The ids of those that the relay has accepted. */
  readonly accepted: readonly string[];
}

/** Keeps texts until the relay has them. Other clients of the same side share it. */
interface OutboxBase {
  read(): Promise<StoredTexts>;
  /** Replaces the texts that this client saved before. `isSent` says of one that is missing whether the relay has it. */
  save(unsent: readonly Draft[], isSent?: (draft: Draft) => boolean): Promise<void>;
  /** Returns the content that a client encrypted first with this messageId, or null if it must no longer be sent. */
  claim<T extends object>(messageId: string, sealed: T, signal?: AbortSignal): Promise<T | null>;
}

/** An agent's. For a question with a name, claiming a text also sends it. */
export interface AgentOutbox extends OutboxBase {
  readonly kind: 'agent' | 'named question';
}

/** Of a signed-in expert, for one answer at a time. */
export interface ExpertOutbox extends OutboxBase {
  readonly kind: 'expert';
  /** Undefined once another client has sent or removed this text. */
  stateOf(messageId: string): Promise<'stored' | 'encrypted' | undefined>;
}

export type Outbox = AgentOutbox | ExpertOutbox;
