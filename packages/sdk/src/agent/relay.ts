import type { PartialClientOptions } from '../client-options.ts';
import type { ContentOf } from '../forms/content-of.ts';
import type { Form } from '../forms/form.ts';
import type { ListedRequest, ListOptions, RequestState, WhoAmI } from '../request-state.ts';
import type { Store } from '../store.ts';
import type { Conversation } from './conversation.ts';
import type { ConversationState } from './conversation-state.ts';
import type { Decided, DecisionOptions } from './decision.ts';
import type { FormOrSchema, Question } from './question.ts';

/**
 * How an agent connects. What is left out is read from the environment, where there is one: `RELAY_URL` (and with it `RELAY_HUB_URL`),
 * `RELAY_API_KEY`, `RELAY_EXPERT` (a fingerprint, or several with commas), `RELAY_AGENT_NAME` and `RELAY_AGENT_SECRET`.
 *
 * @example
 * const relay = createRelay({
 *   url: 'https://relay.example',
 *   apiKey: 'hs_...',
 *   expert: '04918 22734 ...',
 *   store: createFileStore('.agent'),
 * });
 */
export interface RelayOptions extends PartialClientOptions {
  /**
   * The fingerprint of the only expert who may answer. Other keys are refused. With a list, each of its experts may:
   * so an expert can announce a new key before using it. The one that answers replaces the remembered expert.
   */
  readonly expert?: string | readonly string[] | undefined;
  /**
   * True if this agent expects another expert than those whom other API keys in the `store` know at this relay. It matters
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
   * The 32 random bytes from which the keys of questions with a name (`once`) are derived, or these in base64 or hexadecimal. Anyone who
   * has them can read these conversations. Never the API key, which the relay knows. By default the `store` keeps them.
   */
  readonly secret?: Uint8Array | string | undefined;
  /**
   * Keeps conversations, so that a restarted agent continues: see `createFileStore` of `@expert-relay/sdk/node`. A conversation is stored
   * before the question and before each message is sent. An answer that the program was given is in it, until the program asks for the next
   * one or closes. Without a store each process meets its expert for the first time.
   */
  readonly store?: Store | undefined;
}

/**
 * The options of `approve` and `choose`.
 *
 * @example
 * const { approved } = await relay.approve('Deploy 4711?', { once: 'deploy 4711', timeoutMs: 600_000 });
 */
export interface AskingOptions extends Omit<Question, 'question' | 'form'>, DecisionOptions {
  /**
   * True to leave the conversation open. By default it is closed after the decision, an error, the timeout or an abort, unless
   * it has a name (`once`): a later run continues it.
   */
  readonly keepOpen?: boolean | undefined;
}

/** The result of `approve`. */
export interface Approval extends Decided {
  /** True only if the expert has approved. */
  readonly approved: boolean;
  readonly conversation: Conversation;
}

/** The result of `choose`. */
export type Choice<V extends string = string> = Decided & { readonly conversation: Conversation } & (
    | { readonly declined: false; readonly value: V }
    | { readonly declined: true; readonly value: undefined }
  );

/**
 * An agent's connection to the relay.
 *
 * @example
 * const relay = createRelay();
 * const conversation = await relay.ask({ question: 'May I remove the lock file?' });
 * const answer = await conversation.waitForAnswer({ timeoutMs: 600_000 });
 */
export interface Relay {
  /** @throws RelayError `invalid_input` (`invalid_form`), with the path of the member that is not allowed; then nothing was sent */
  ask<const F extends FormOrSchema = Form>(question: Question<F>): Promise<Conversation<ContentOf<F>>>;
  /**
   * Asks for an approval, and waits for it. A timeout, an end without a decision and an invalid answer throw: they are
   * neither approved nor declined.
   *
   * @example
   * const { approved, comment } = await relay.approve('Delete the database `test`?', { timeoutMs: 600_000 });
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
  /** Continues a conversation that was exported, or one of the store by its id. @throws RelayError `not_found` when the store has none */
  resume(
    conversation: ConversationState | string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Conversation>;
  /** The stored conversations that may go on, those that end first at the beginning. Damaged ones are left out: `resume` reports them. */
  conversations(): Promise<readonly ConversationState[]>;
  /** Removes a conversation from the store, with its private keys. */
  forget(id: string): Promise<void>;
  /**
   * The conversation of a question with this name (`once`) in the store, if this API key may read it: it has asked, or is the rotated
   * key of one that has.
   */
  findNamed(
    name: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<ConversationState | undefined>;
  /** To whom this key belongs. */
  whoami(options?: { readonly signal?: AbortSignal | undefined }): Promise<WhoAmI>;
  /** The requests of this key, newest first. */
  requests(options?: ListOptions): Promise<readonly ListedRequest[]>;
  /** The state of a request of this key, by its reference code. */
  findByRef(refCode: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<RequestState>;
  /** Ends all waiting and all streams, also what begins later. Conversations stay open: resume them with a new client. */
  stop(): void;
}
