import type { ClientOptions } from '../client-options.ts';
import type { Memory } from '../memory.ts';
import type { WhoAmI } from '../request-state.ts';
import type { ExpertRequest } from './expert-request.ts';

export interface ExpertOptions extends ClientOptions {
  /**
   * Keeps of each request the agent's keys, the question and where its messages ended, so that no later look can be
   * shown others. Give one that outlives the process, and to all clients with this key the same.
   */
  readonly memory?: Memory | undefined;
  /** The 32 bytes that all of the expert's keys follow from. Without it only plain text can be read and written. */
  readonly root?: Uint8Array | undefined;
}

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
  /** One request, by its id or its reference code. */
  request(
    requestIdOrRefCode: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<ExpertRequest>;
  whoami(options?: { readonly signal?: AbortSignal | undefined }): Promise<WhoAmI>;
  /** Ends all waiting and all streams. */
  stop(): void;
}
