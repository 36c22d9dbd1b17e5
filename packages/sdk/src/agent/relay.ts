import type { ClientOptions } from '../client-options.ts';
import type { ContextMessage, ListedRequest, RequestState, RequestStatus, WhoAmI } from '../request-state.ts';
import type { Conversation } from './conversation.ts';
import type { ConversationState } from './conversation-state.ts';

/**
 * How an agent connects.
 *
 * @example
 * const relay = createRelay({
 *   url: 'https://relay.example',
 *   apiKey: 'hs_...',
 *   expert: '04918 22734 ...',
 *   save: (state) => writeFile(`${state.id}.json`, JSON.stringify(state), { mode: 0o600 }),
 * });
 */
export interface RelayOptions extends ClientOptions {
  /** The fingerprint of the one expert who may answer. Anybody else's keys are refused. */
  readonly expert?: string | undefined;
  /**
   * True to take plain text for an answer although the expert is known, by `expert` or from earlier. Else it is
   * refused: the relay could have written it. Default false.
   */
  readonly acceptPlaintext?: boolean | undefined;
  /**
   * Keeps a conversation, by its `id`, so that a restarted agent can go on. Whatever depends on it goes out only
   * after it is kept: awaited before the question and before each message.
   */
  readonly save?: ((state: ConversationState) => void | Promise<void>) | undefined;
}

/**
 * A question to the expert. Without `confidential` the relay can read it: only what follows is encrypted.
 *
 * @example
 * const conversation = await relay.ask({
 *   question: 'May I remove the lock file?',
 *   messages: [{ role: 'assistant', content: 'The deploy hangs.' }],
 *   confidential: true,
 * });
 * if (conversation.unsent.length > 0) console.log('The question goes out once an expert is there.');
 */
export interface Question {
  readonly question?: string | undefined;
  /** What was said before; the relay keeps the last 10. */
  readonly messages?: readonly ContextMessage[] | undefined;
  /**
   * Keeps question and messages from the relay: they are sent as the first encrypted message, once the expert
   * has picked the request up. Until then they are in {@link Conversation.unsent}.
   */
  readonly confidential?: boolean | undefined;
  /** False for plain text without any keys. Default true. */
  readonly encrypted?: boolean | undefined;
  /** What is shown to clients without encryption. Without encryption, the question stands for it. */
  readonly plaintext?: string | undefined;
  /** Asking again under the same one does not ask twice. One is made up when none is given. */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ListOptions {
  readonly status?: RequestStatus | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * An agent's way to the experts.
 *
 * @example
 * const relay = createRelay({ url: 'https://relay.example', apiKey: 'hs_...' });
 * const conversation = await relay.ask({ question: 'May I remove the lock file?' });
 * const answer = await conversation.waitForAnswer({ timeout: 600_000 });
 */
export interface Relay {
  ask(question: Question): Promise<Conversation>;
  /** Goes on with a conversation that was exported or saved, wherever it was left. */
  resume(
    state: ConversationState,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Conversation>;
  whoami(options?: { readonly signal?: AbortSignal | undefined }): Promise<WhoAmI>;
  /** All requests of this key, newest first. */
  requests(options?: ListOptions): Promise<readonly ListedRequest[]>;
  findByRef(refCode: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<RequestState>;
  /** Ends all waiting and all streams. Conversations stay as they are. */
  stop(): void;
}
