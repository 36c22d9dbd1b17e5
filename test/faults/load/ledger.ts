/** How a call went, as far as its sender knows. */
export type Standing = 'acknowledged' | 'refused' | 'unknown';

export interface SentMessage {
  readonly messageId: string;
  /** As it was sent, to be found again in the list. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly standing: Standing;
}

/** A request that was acknowledged, and what was sent to it. */
export interface Conversation {
  readonly requestId: string;
  readonly refCode: string;
  readonly expiresAt: number;
  readonly messages: SentMessage[];
  exchange?: Standing;
  close?: Standing;
}

/** What clients were told: the product is held to every word of it. */
export interface Ledger {
  readonly conversations: Conversation[];
  /** Submits that were given up without an answer: each may have made a request, or not. */
  unknownSubmits: number;
  /** Answers that nobody should get, whatever is broken. */
  readonly oddities: string[];
}

export const openLedger = (): Ledger => ({ conversations: [], unknownSubmits: 0, oddities: [] });
