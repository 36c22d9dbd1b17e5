export type RequestStatus = 'pending' | 'responded' | 'closed' | 'expired';

/** Nothing leaves these two. */
export const hasEnded = ({ status }: { readonly status: RequestStatus }): boolean =>
  status === 'closed' || status === 'expired';

/** What the relay says of a request. */
export interface RequestState {
  readonly requestId: string;
  /** What people call it by, such as `HS-7KQ2M9XD`. */
  readonly refCode: string;
  readonly status: RequestStatus;
  /** Answers of the expert so far. */
  readonly responseCount: number;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** ISO 8601, UTC. */
  readonly expiresAt: string;
}

/** A request in a list: with the beginning of its question. */
export interface ListedRequest extends RequestState {
  readonly question: string;
}

/** What a key is. */
export interface WhoAmI {
  readonly kind: 'consumer' | 'provider';
  readonly name: string;
  /** The expert that the key belongs to. */
  readonly userId: string;
  readonly topics: readonly string[];
}

/** What was said before the question, as agents keep it. */
export interface ContextMessage {
  /** `user` or `assistant`. */
  readonly role: string;
  readonly content: string;
}
