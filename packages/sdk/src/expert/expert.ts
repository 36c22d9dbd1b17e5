import type { ConnectionOptions, PartialClientOptions } from '../client-options.ts';
import type { Vault } from '../crypto/vault.ts';
import type { ListOptions, Party, WhoAmI } from '../request-state.ts';
import type { Store } from '../store.ts';
import type { ExpertRequest, PendingAnswer } from './expert-request.ts';
import type { ListedQuestion } from './list-questions.ts';
import type { StoredVault } from './vault-calls.ts';

/**
 * How an expert with an API key connects. What is left out of `url`, `apiKey` and `hubUrl` is read from the environment: `RELAY_URL`,
 * `RELAY_API_KEY` and `RELAY_HUB_URL`.
 *
 * @example
 * const expert = createExpert({ url: 'https://relay.example', apiKey: 'hs_prov_...', root });
 */
export interface ExpertOptions extends PartialClientOptions, OwnOptions {
  /** True in {@link SessionExpertOptions} only. */
  readonly session?: false | undefined;
  /**
   * Stores of each request the agent's keys, the question, its code and its last messages, so that the relay cannot show
   * others later. They are filed under the fingerprint of the root, without a root under the API key. Use one that
   * outlives the process, and the same one for all clients of an expert on a machine.
   */
  readonly store?: Store | undefined;
}

interface OwnOptions {
  /** The 32 bytes from which all of the expert's keys are derived. Without it only plain text can be read and sent. */
  readonly root?: Uint8Array | undefined;
}

/**
 * How an expert who is signed in connects: by the session's cookie, without an API key.
 *
 * @example
 * const expert = createExpert({ session: true, url: location.origin, root });
 * const request = await expert.request('HS-7KQ2M9XD');
 * await request.answer('Yes, it is stale.');
 */
export interface SessionExpertOptions extends ConnectionOptions, OwnOptions {
  /** Says that calls are made with the session's cookie. */
  readonly session: true;
  /** As for an expert with a key. It also stores the answers that wait. It belongs to one user: each user needs another one. */
  readonly store?: Store | undefined;
  /**
   * Subscribes to events that another client receives, and returns a function that ends it. Then this client opens no
   * stream. Browsers use it to have one stream for all tabs.
   */
  readonly listen?: ((listener: (event: ExpertEvent) => void) => () => void) | undefined;
}

/**
 * An event is a hint from the relay's hub that something happened. Read the request for what is true: the question is
 * not in the event, since nothing could check it there.
 */
export type ExpertEvent =
  | {
      /** `request_triaged`: the expert has snoozed it, has ended that, or has said that there is nothing to answer. */
      readonly type: 'new_request' | 'new_message' | 'key_exchange' | 'request_closed' | 'request_triaged';
      readonly requestId: string;
      readonly refCode: string | undefined;
      /** With `new_message`: its sender. */
      readonly from: Party | undefined;
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
 * Which requests a program gets.
 *
 * @example
 * const filter = ({ agentName }: ExpertRequest) => agentName === 'Deployer';
 * for await (const request of expert.requests({ filter })) await request.answer('Not before 18:00.');
 */
export interface RequestsOptions {
  /** Called once for each request, before it is picked up. Those for which it returns false are left as they are. */
  readonly filter?: ((request: ExpertRequest) => boolean | Promise<boolean>) | undefined;
  /** Ends the loop with `aborted`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * An expert's connection to the relay.
 *
 * @example
 * const expert = createExpert({ root });
 * for await (const request of expert.requests()) {
 *   await request.pickUp();
 *   await request.answer('Yes, it is stale.');
 * }
 */
export interface Expert {
  /** The fingerprint of the expert's identity, which agents compare. Undefined without a root. */
  fingerprint(): Promise<string | undefined>;
  /**
   * Open requests: first those that exist already, oldest first, then new ones as they come. Each was read and compared with what was
   * shown first: see {@link ExpertRequest.refused}. One whose agent has announced more is picked up, and returned when that has come:
   * see {@link ExpertRequest.received}. A request is returned again, as a new object, when {@link ExpertRequest.isReopened}, unless a loop over its
   * `messages` gets that.
   *
   * @example
   * // Others stay as they are, also for experts with other keys.
   * const filter = ({ question }: ExpertRequest) => question.startsWith('Restart ');
   * for await (const request of expert.requests({ filter })) await request.answer('Not before 18:00.');
   */
  requests(options?: RequestsOptions): AsyncIterableIterator<ExpertRequest>;
  /**
   * The requests of this expert, those with the newest activity first. Their messages are not read. Each question is compared with
   * what was shown first and remembered, so that it can be shown to a person, who may answer it later by its code. Of more than 200,
   * one that changes meanwhile may be missing: `events()` reports it.
   *
   * @example
   * for (const { refCode, question, refused } of await expert.list({ status: 'pending' })) {
   *   console.log(refCode, refused ? `refused: ${refused}` : question);
   * }
   */
  list(options?: ListOptions): Promise<readonly ListedQuestion[]>;
  /**
   * The same for rows that your program has read itself, a page at a time, from the relay's list with `content=true`:
   * `GET /api/requests` with a session, `GET /api/v1/requests` with a key. The order stays.
   *
   * @example
   * const { requests, next } = await getJson('/api/requests?content=true&limit=200');
   * const questions = await expert.check(requests);
   */
  check(rows: readonly unknown[]): Promise<readonly ListedQuestion[]>;
  /**
   * Notes in the store that your user has now been shown the question of a request and these messages of both sides, or
   * has written them. Another process finds it with `shownBefore`. Use it where one process shows and another one answers.
   *
   * @example
   * // The process that prints.
   * await expert.markShown(request.requestId, printed.map(({ messageId }) => messageId));
   * // The process that answers: what was printed less than five seconds before it started was hardly read.
   * const shown = await expert.shownBefore(request.requestId, startedAt - 5_000);
   * if (shown) await request.answer(text, { shown });
   */
  markShown(requestId: string, messageIds?: readonly string[]): Promise<void>;
  /**
   * The ids of the messages that were marked before this time, in milliseconds since 1970. Undefined when the question
   * itself was not.
   */
  shownBefore(requestId: string, time: number): Promise<readonly string[] | undefined>;
  /** Events of this expert's requests, as they come. They cost no calls, however many requests there are. */
  events(options?: { readonly signal?: AbortSignal | undefined }): AsyncIterableIterator<ExpertEvent>;
  /** One request, by its id or its reference code. */
  request(
    requestIdOrRefCode: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<ExpertRequest>;
  /**
   * Only with a session: the answer that was not sent, of a request that need not exist any more. It makes no call.
   *
   * @example
   * const lost = await expert.pendingAnswer(requestId);
   * if (lost) console.log(`Not sent: ${lost.text}`);
   * await expert.removePendingAnswer(requestId);
   */
  pendingAnswer(requestId: string): Promise<PendingAnswer | undefined>;
  /** Only with a session: removes that answer from the store. */
  removePendingAnswer(requestId: string): Promise<void>;
  /**
   * The expert's vault at the relay, which `openVault` opens with the recovery code. Undefined while there is none.
   *
   * @example
   * const expert = createExpert();
   * const stored = await expert.readVault();
   * const root = stored && (await openVault(stored.vault, recoveryCode));
   */
  readVault(options?: { readonly signal?: AbortSignal | undefined }): Promise<StoredVault | undefined>;
  /**
   * Stores what `sealVault` has made, and checks that the relay has it.
   *
   * @throws RelayError `conflict` when there is another vault than the one that was read as `replaces`
   */
  writeVault(
    vault: Vault,
    options?: { readonly replaces?: StoredVault | undefined; readonly signal?: AbortSignal | undefined },
  ): Promise<void>;
  /** To whom this key, or this session, belongs. */
  whoami(options?: { readonly signal?: AbortSignal | undefined }): Promise<WhoAmI>;
  /** Ends all waiting and all streams. */
  stop(): void;
}
