import type { ListOptions } from '../agent/relay.ts';
import type { ClientOptions, ConnectionOptions } from '../client-options.ts';
import type { Memory } from '../memory.ts';
import type { ListedRequest, WhoAmI } from '../request-state.ts';
import type { ExpertRequest } from './expert-request.ts';

export interface ExpertOptions extends ClientOptions, OwnOptions {}

interface OwnOptions {
  /**
   * Keeps of each request the agent's keys, the question and where its messages ended, so that no later look can be
   * shown others. Give one that outlives the process, and to all clients with this key the same.
   */
  readonly memory?: Memory | undefined;
  /** The 32 bytes that all of the expert's keys follow from. Without it only plain text can be read and written. */
  readonly root?: Uint8Array | undefined;
}

/** Options of an expert who is signed in. The memory belongs to the user: for another one, give another. */
export interface SessionExpertOptions extends ConnectionOptions, OwnOptions {
  /**
   * Listens to events that another client has received, instead of a stream of its own, and gives what ends that. Of
   * the tabs of a browser one has the stream.
   */
  readonly listen?: ((call: (event: ExpertEvent) => void) => () => void) | undefined;
}

/** That something has happened. It is a hint of the relay's hub: what it means is read from the request. */
export type ExpertEvent =
  | {
      readonly type: 'new_request' | 'new_message' | 'key_exchange' | 'request_closed';
      readonly requestId: string;
      readonly refCode: string | undefined;
      /** Of a new request: the beginning of the question. */
      readonly question: string | undefined;
      /** Of a message: who wrote it. */
      readonly role: 'consumer' | 'provider' | undefined;
      /** Of a message. */
      readonly messageId: string | undefined;
      /** Of an end: whether it was closed, or its time was over. */
      readonly reason: 'closed' | 'expired';
    }
  | {
      /** What happened is not known: list anew. It is the first event, too. */
      readonly type: 'unknown';
      /** Whether events were missed. Else this is a look to be sure, about once a minute. */
      readonly isMissed: boolean;
    };

/**
 * An expert's side of the relay.
 *
 * @example
 * const expert = createExpert({ url: 'https://relay.example', apiKey: 'hs_prov_...', root });
 * for await (const request of expert.requests()) {
 *   await request.pickUp();
 *   await request.answer('Yes, it is stale.');
 * }
 */
export interface Expert {
  /** Of the expert's identity, for agents to compare; undefined without a root. */
  fingerprint(): Promise<string | undefined>;
  /** Open requests, each once: first those that wait already, oldest first, then new ones as they come. */
  requests(options?: { readonly signal?: AbortSignal | undefined }): AsyncIterableIterator<ExpertRequest>;
  /** All requests of this expert as the relay lists them, newest first: nothing of them is read. */
  list(options?: ListOptions): Promise<readonly ListedRequest[]>;
  /** What happens to this expert's requests, as it comes. It costs no calls, whatever the number of requests. */
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
