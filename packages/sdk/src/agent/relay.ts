import type { ClientOptions } from '../client-options.ts';
import type { Form } from '../forms/form.ts';
import type { ContentOf } from '../forms/index.ts';
import type { ContextMessage, ListedRequest, RequestState, RequestStatus, WhoAmI } from '../request-state.ts';
import type { FileToSend } from '../thread/parts-to-send.ts';
import type { Conversation } from './conversation.ts';
import type { ConversationState } from './conversation-state.ts';
import type { Approval, AskingOptions, Choice, FormOrSchema } from './decision.ts';

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
  /**
   * The fingerprint of the only expert who may answer. Other keys are refused. With a list, each of its experts may:
   * so an expert can announce a new key before using it. The one that answers replaces the remembered expert.
   */
  readonly expert?: string | readonly string[] | undefined;
  /**
   * True if this agent expects another expert than those whom other API keys in `memory` know at this relay. It matters
   * only while this key knows none: a new key may be a rotated one, and then another expert is `new_expert`. Default
   * false.
   */
  readonly acceptNewExpert?: boolean | undefined;
  /**
   * True for experts who use a client without this protocol. It admits what the relay could have written or replaced:
   * plain text, keys without a signature (`unverified`) and messages without links (`unsequenced`). Each answer
   * shows it as `protection`, the conversation as `verification`. By default all three are refused at any time, also
   * from an expert who was never met before; a question that was asked with `encrypted: false` is answered in plain
   * text in any case.
   */
  readonly acceptUnprotected?: boolean | undefined;
  /**
   * A name that the expert is shown, of 1 to 100 characters. The expert signs it with the question, unlike the name of
   * the API key, which the relay states.
   */
  readonly agentName?: string | undefined;
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
export interface Question<F extends FormOrSchema = Form> {
  readonly question?: string | undefined;
  /** Messages that came before the question. The relay keeps the last 10. */
  readonly messages?: readonly ContextMessage[] | undefined;
  /**
   * A form that the expert is to answer, or a schema of a library: see {@link Conversation.waitForDecision}. With
   * `confidential` it is encrypted as well; otherwise the relay can read it.
   */
  readonly form?: F | undefined;
  /**
   * At most 8, 700,000 bytes together. They are always encrypted: they go with the confidential question, or as a message
   * behind the question, once an expert has picked the request up.
   */
  readonly files?: readonly FileToSend[] | undefined;
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
  /** @throws RelayError `invalid_form`, with the path of the member that is not allowed; then nothing was sent */
  ask<const F extends FormOrSchema = Form>(question: Question<F>): Promise<Conversation<ContentOf<F>>>;
  /**
   * Asks for an approval, and waits for it. A timeout, an end without a decision and an invalid answer throw: they are
   * neither approved nor declined.
   *
   * @example
   * const { approved, comment } = await relay.approve('Delete the database `test`?', { timeout: 600_000 });
   * if (approved) await deleteDatabase();
   * else console.log(`Declined: ${comment}`);
   */
  approve(question: string, options?: AskingOptions): Promise<Approval>;
  /**
   * Asks for one of several options, and waits for it, as `approve` does.
   *
   * @example
   * const { declined, value } = await relay.choose('Deploy to which region?', ['eu', 'us']);
   * if (!declined) await deploy(value); // 'eu' | 'us'
   */
  choose<const V extends string>(
    question: string,
    options: readonly (V | { readonly value: V; readonly title: string })[],
    asking?: AskingOptions,
  ): Promise<Choice<V>>;
  /** Continues a conversation that was exported or saved. */
  resume(
    state: ConversationState,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Conversation>;
  whoami(options?: { readonly signal?: AbortSignal | undefined }): Promise<WhoAmI>;
  /** All requests of this key, newest first. */
  requests(options?: ListOptions): Promise<readonly ListedRequest[]>;
  findByRef(refCode: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<RequestState>;
  /** Ends all waiting and all streams, also what begins later. Conversations stay open: resume them with a new client. */
  stop(): void;
}
