/** The result of a call, as far as its sender knows. */
export type CallOutcome = 'acknowledged' | 'refused' | 'unknown';

export interface SentMessage {
  readonly messageId: string;
  /** As it was sent, to compare it with the list. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly outcome: CallOutcome;
}

/** An acknowledged request, and the calls that were made for it. */
export interface Conversation {
  readonly requestId: string;
  readonly refCode: string;
  readonly expiresAt: number;
  readonly messages: SentMessage[];
  exchange?: CallOutcome;
  close?: CallOutcome;
}

/** The responses that clients received. At the end they are compared with the database. */
export interface Ledger {
  readonly conversations: Conversation[];
  /** Submits without a response: each may have made a request or not. */
  unknownSubmits: number;
  /** Responses that no fault explains. */
  readonly unexpected: string[];
}

export const openLedger = (): Ledger => ({ conversations: [], unknownSubmits: 0, unexpected: [] });
