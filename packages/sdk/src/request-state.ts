/** `pending` until the first answer, then `responded`; `closed` and `expired` are final. */
export type RequestStatus = 'pending' | 'responded' | 'closed' | 'expired';

/** Both states are final. */
export const hasEnded = <T extends { readonly status: RequestStatus }>(
  request: T,
): request is T & { readonly status: 'closed' | 'expired' } =>
  request.status === 'closed' || request.status === 'expired';

/** A request, as the relay describes it. */
export interface RequestState {
  readonly requestId: string;
  /** The code that people use, such as `HS-7KQ2M9XD`. */
  readonly refCode: string;
  readonly status: RequestStatus;
  /** Answers of the expert so far. */
  readonly responseCount: number;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** ISO 8601, UTC. */
  readonly expiresAt: string;
}

/** What an agent sends automatically after the pick-up. */
export interface Follows {
  readonly files: number;
  /** Whether the question is confidential: the real one follows. */
  readonly question: boolean;
}

/** The two sides of a conversation. The relay calls them `consumer` and `provider`. */
export type Party = 'agent' | 'expert';

const parties = { consumer: 'agent', provider: 'expert' } as const;

export const partyOf = (role: keyof typeof parties): Party => parties[role];

/** What the relay calls a side, if it is one. */
export const readParty = (role: unknown): Party | undefined =>
  role === 'consumer' || role === 'provider' ? partyOf(role) : undefined;

/** What the relay states about a request besides. Nothing of it is encrypted or signed. */
export interface RequestNotes {
  /** As the agent has announced it, also once it has arrived. Undefined when it has announced nothing. */
  readonly follows?: Follows | undefined;
  /** The agent's words for sorting. */
  readonly tags: readonly string[];
  /** Which side closed the conversation, and why. */
  readonly closedBy?: Party | undefined;
  readonly closeReason?: string | undefined;
}

/** The request, as last seen. */
export interface AskedRequest extends Partial<RequestNotes> {
  readonly requestId: string;
  readonly refCode: string;
  readonly status: RequestStatus;
  readonly expiresAt: string;
  readonly responseCount: number;
  readonly erasedAt?: string | undefined;
}

/** A request in an agent's list, with the beginning of its question as the relay states it: nothing checks it. */
export interface ListedRequest extends RequestState, RequestNotes {
  readonly question: string;
  /** Messages of both sides so far. */
  readonly messageCount: number;
}

/** To whom a key belongs. */
export interface WhoAmI {
  readonly kind: 'consumer' | 'provider';
  readonly name: string;
  /** The expert that the key belongs to. */
  readonly userId: string;
  readonly topics: readonly string[];
}

/** A message that came before the question. */
export interface ContextMessage {
  /** `user` or `assistant`. */
  readonly role: string;
  readonly content: string;
}

/**
 * Which requests are listed.
 *
 * @example
 * const newest = await relay.requests({ status: 'responded', limit: 20 });
 */
export interface ListOptions {
  /** Only those with this status. Default all. */
  readonly status?: RequestStatus | undefined;
  /** At most this many, the first ones of the list. Default all. */
  readonly limit?: number | undefined;
  /** Ends the call with `aborted`. */
  readonly signal?: AbortSignal | undefined;
}
