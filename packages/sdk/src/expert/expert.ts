import type { ListOptions } from '../agent/relay.ts';
import type { ClientOptions, ConnectionOptions } from '../client-options.ts';
import type { Memory } from '../memory.ts';
import type { ListedRequest, WhoAmI } from '../request-state.ts';
import type { ExpertRequest } from './expert-request.ts';

export interface ExpertOptions extends ClientOptions, OwnOptions {}

interface OwnOptions {
  /**
   * Stores of each request the agent's keys, the question and its last messages, so that the relay cannot show others
   * later. Use one that outlives the process, and the same one for all clients with this key.
   */
  readonly memory?: Memory | undefined;
  /** The 32 bytes from which all of the expert's keys are derived. Without it only plain text can be read and sent. */
  readonly root?: Uint8Array | undefined;
}

/** Options of an expert who is signed in. The memory belongs to one user: each user needs another one. */
export interface SessionExpertOptions extends ConnectionOptions, OwnOptions {
  /**
   * Subscribes to events that another client receives, and returns a function that ends it. Then this client opens no
   * stream. Browsers use it to have one stream for all tabs.
   */
  readonly listen?: ((call: (event: ExpertEvent) => void) => () => void) | undefined;
}

/** An event is a hint from the relay's hub that something happened. Read the request for what is true. */
export type ExpertEvent =
  | {
      readonly type: 'new_request' | 'new_message' | 'key_exchange' | 'request_closed';
      readonly requestId: string;
      readonly refCode: string | undefined;
      /** With `new_request`: the beginning of the question. */
      readonly question: string | undefined;
      /** With `new_message`: its sender. */
      readonly role: 'consumer' | 'provider' | undefined;
      /** With `new_message`. */
      readonly messageId: string | undefined;
      /** With `request_closed`: whether it was closed or has expired. */
      readonly reason: 'closed' | 'expired';
    }
  | {
      /** Events may be missing: list the requests again. It is also the first event. */
      readonly type: 'unknown';
      /** Whether events were missed. If false, this is the regular check, about once a minute. */
      readonly isMissed: boolean;
    };

/**
 * An expert's connection to the relay.
 *
 * @example
 * const expert = createExpert({ url: 'https://relay.example', apiKey: 'hs_prov_...', root });
 * for await (const request of expert.requests()) {
 *   await request.pickUp();
 *   await request.answer('Yes, it is stale.');
 * }
 */
export interface Expert {
  /** The fingerprint of the expert's identity, which agents compare. Undefined without a root. */
  fingerprint(): Promise<string | undefined>;
  /** Open requests, each once: first those that exist already, oldest first, then new ones as they come. */
  requests(options?: { readonly signal?: AbortSignal | undefined }): AsyncIterableIterator<ExpertRequest>;
  /** All requests of this expert, newest first. Their messages are not read. */
  list(options?: ListOptions): Promise<readonly ListedRequest[]>;
  /** Events of this expert's requests, as they come. They cost no calls, however many requests there are. */
  events(options?: { readonly signal?: AbortSignal | undefined }): AsyncIterableIterator<ExpertEvent>;
  /** One request, by its id or its reference code. */
  request(
    requestIdOrRefCode: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<ExpertRequest>;
  whoami(options?: { readonly signal?: AbortSignal | undefined }): Promise<WhoAmI>;
  /** Ends all waiting and all streams. */
  stop(): void;
}
