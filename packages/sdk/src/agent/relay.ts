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
  /** The fingerprint of the only expert who may answer. Other keys are refused. */
  readonly expert?: string | undefined;
  /**
   * True to accept plain text as an answer although the expert is known, by `expert` or from earlier. Otherwise it is
   * refused, since the relay could have written it. Default false.
   */
  readonly acceptPlaintext?: boolean | undefined;
  /**
   * Saves a conversation under its `id`, so that a restarted agent can continue. It is awaited before the question and
   * before each message is sent.
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
 * if (conversation.unsent.length > 0) console.log('The question is sent once an expert picks it up.');
 */
export interface Question {
  readonly question?: string | undefined;
  /** Messages that came before the question. The relay keeps the last 10. */
  readonly messages?: readonly ContextMessage[] | undefined;
  /**
   * Hides question and messages from the relay. They are sent as the first encrypted message, once the expert has
   * picked the request up. Until then they are in {@link Conversation.unsent}.
   */
  readonly confidential?: boolean | undefined;
  /** False for plain text without any keys. Default true. */
  readonly encrypted?: boolean | undefined;
  /** The text for clients without encryption. Default: the question, if `encrypted` is false. */
  readonly plaintext?: string | undefined;
  /** A second call with the same key returns the first request. By default each call has its own key. */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ListOptions {
  readonly status?: RequestStatus | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * An agent's connection to the relay.
 *
 * @example
 * const relay = createRelay({ url: 'https://relay.example', apiKey: 'hs_...' });
 * const conversation = await relay.ask({ question: 'May I remove the lock file?' });
 * const answer = await conversation.waitForAnswer({ timeout: 600_000 });
 */
export interface Relay {
  ask(question: Question): Promise<Conversation>;
  /** Continues a conversation that was exported or saved. */
  resume(
    state: ConversationState,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Conversation>;
  whoami(options?: { readonly signal?: AbortSignal | undefined }): Promise<WhoAmI>;
  /** All requests of this key, newest first. */
  requests(options?: ListOptions): Promise<readonly ListedRequest[]>;
  findByRef(refCode: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<RequestState>;
  /** Ends all waiting and all streams. Conversations stay open and can be resumed. */
  stop(): void;
}
