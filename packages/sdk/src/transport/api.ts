import type { Access, Timing } from '../client-options.ts';
import { invalidInput, RelayError, type RelayErrorReason } from '../relay-error.ts';
import { Budget, limitConcurrency } from './call-limits.ts';
import { problemError } from './problem-error.ts';
import { readText } from './read-stream.ts';
import { parseJson, unexpected } from './shape.ts';
import { pause, throwIfAborted, withTimeout } from './waiting.ts';

/** Reads the body of a response, which is JSON. Throws when it is not what was asked for. */
type ReadBody<T> = (body: unknown, headers: Headers) => T;

/** Attempts of a call that fails because of the network or overload. Waiting for a rate limit does not count. */
const maxAttempts = 6;
/** A thousand conversations must not open a thousand sockets. */
const maxConcurrentCalls = 6;

interface Repetition {
  /** Aborts an attempt that was begun before `signal` aborts. Default: `signal`. */
  readonly lasting?: AbortSignal | undefined;
  /** Says before each repetition whether it is still wanted. */
  readonly again?: (() => Promise<boolean>) | undefined;
}

/** Calls the gateway. Calls are repeated after errors, since each contains an id that makes a repetition harmless. */
export class Api {
  /** The gateway's address, without a slash at its end. */
  readonly url: string;
  readonly budget = new Budget();
  readonly #options: Access & { readonly timing: Timing };
  readonly #withSlot = limitConcurrency(maxConcurrentCalls);
  #pausedUntil = 0;
  #hubUrl: string | undefined;
  #outage: RelayErrorReason | undefined;
  #outageSince = 0;

  constructor(options: Access & { readonly timing: Timing }) {
    this.#options = options;
    this.url = baseUrl(options.url);
  }

  /** The hub's address, once a response has named it. */
  get hubUrl(): string | undefined {
    return this.#hubUrl;
  }

  /** Milliseconds to wait before attempt number `attempt`, from 0: random, up to a limit that doubles ("full jitter"). */
  readonly backoff = (attempt: number): number => {
    const { timing, random = Math.random } = this.#options;
    return random() * Math.min(timing.maxBackoffMs, timing.backoffMs * 2 ** attempt);
  };

  async get<T>(path: string, read: ReadBody<T>, signal?: AbortSignal): Promise<T> {
    return await this.#call(path, {}, read, signal);
  }

  /** With the ETag of what it replaces, if there is something. */
  async put(path: string, body: object, etag: string | undefined, signal?: AbortSignal): Promise<void> {
    const headers = { ...json, ...(etag && { 'if-match': etag }) };
    await this.#call(path, { method: 'PUT', headers, body: JSON.stringify(body) }, () => {}, signal);
  }

  async post<T>(
    path: string,
    body: object,
    read: ReadBody<T>,
    signal?: AbortSignal,
    repetition: Repetition = {},
  ): Promise<T> {
    const init = { method: 'POST', headers: json, body: JSON.stringify(body) };
    return await this.#call(path, init, read, signal, repetition);
  }

  async #call<T>(
    path: string,
    init: RequestInit,
    read: ReadBody<T>,
    signal: AbortSignal | undefined,
    { lasting = signal, again }: Repetition = {},
  ): Promise<T> {
    const { apiKey, timing } = this.#options;
    const settings = {
      ...fetchSettings,
      ...(!apiKey && { credentials: 'same-origin' as const }),
      ...init,
      headers: { ...(apiKey && { 'x-api-key': apiKey }), ...init.headers },
    };
    const retryUntil = performance.now() + timing.patienceMs;
    for (let failures = 0; ; ) {
      let startedAt = 0;
      try {
        const result = read(
          ...(await this.#withSlot(async () => {
            await pause(this.#pausedUntil - performance.now(), signal);
            startedAt = performance.now();
            return this.#attempt(apiKey ? path : sessionPath(path), settings, lasting);
          }, signal)),
        );
        this.#reportResponse(startedAt);
        return result;
      } catch (error) {
        if (!isTransient(error)) {
          if ((error as Partial<RelayError>).status) this.#reportResponse(startedAt);
          throw error;
        }
        this.#report(error);
        const { retryAfterMs, reason } = error;
        if (reason !== 'rate_limited') failures += 1;
        // The rate limit counts all calls, so all of them wait, but never longer than `patience`.
        else this.#pausedUntil = performance.now() + Math.min(retryAfterMs ?? 60_000, timing.patienceMs);
        const wait = Math.max(retryAfterMs ?? 0, this.backoff(failures));
        if (failures === maxAttempts || performance.now() + wait > retryUntil) throw error;
        await pause(wait, signal);
        if (again && !(await again())) throw error;
      }
    }
  }

  async #attempt(
    path: string,
    init: RequestInit,
    signal: AbortSignal | undefined,
  ): Promise<[body: unknown, headers: Headers]> {
    const { timing, fetch = globalThis.fetch } = this.#options;
    let response!: Response;
    const text = await withTimeout(timing.callMs, signal, async (inTime) => {
      response = await fetch(this.url + path, { ...init, signal: inTime });
      return readText(response, timing.callMs, inTime);
    }).catch((error: unknown) => {
      throwIfAborted(signal);
      if (error instanceof RelayError) throw error;
      const message = `The relay at ${this.url} cannot be reached. Check the address and the network.`;
      throw new RelayError('unreachable', message + corsHint(this.url), { cause: error });
    });
    this.budget.read(response.headers);
    this.#hubUrl = response.headers.get('relay-hub') ?? this.#hubUrl;
    const body = parseJson(text);
    if (!response.ok) throw problemError(response, body);
    if (body === undefined) unexpected('JSON');
    return [body, response.headers];
  }

  /** A response to a call from before the outage does not end it. */
  #reportResponse(startedAt: number): void {
    if (startedAt >= this.#outageSince) this.#report();
  }

  #report(error?: RelayError): void {
    if (error?.reason === this.#outage) return;
    this.#outage = error?.reason;
    this.#outageSince = performance.now();
    this.#options.onOutage?.(error);
  }
}

const json = { 'content-type': 'application/json' };

/** In browsers, an origin that the relay refuses looks like a network error. */
function corsHint(url: string): string {
  const origin = (globalThis as { location?: { origin?: string } }).location?.origin;
  if (!origin || url.startsWith(origin)) return '';
  return ` For this page, the relay's setting RELAY_CORS_ORIGINS must contain ${origin}.`;
}

/** Whether the same call may succeed later. */
export const isTransient = (error: unknown): error is RelayError =>
  RelayError.is(error, 'unreachable', 'rate_limited', 'unexpected_answer');

function baseUrl(url: string | URL): string {
  const { href } = httpUrl(url) ?? invalidUrl('url');
  return href.replace(/\/*([?#].*)?$/, '');
}

/** The part after the request's id, where it differs from the name of the call. */
const sessionEndings: Readonly<Record<string, string>> = { messages: '', message: '/messages' };

/**
 * The path of the session API for a path of v1: `/api/v1/message/ID` is `/api/requests/ID/messages` there. The dashboard
 * forwards it to the service that has the data (`routes/proxy-to-service.ts`).
 */
const sessionPath = (path: string): string =>
  path.replace(/^\/api\/v1\/([\w-]+)(?:\/([\w-]+))?/, (_, name: string, id?: string) =>
    id ? `/api/requests/${id}${sessionEndings[name] ?? `/${name}`}` : `/api/${name}`,
  );

/** For every call: no redirect, so that the key goes nowhere else; no cookies by default; no cache. */
export const fetchSettings = { redirect: 'error', credentials: 'omit', cache: 'no-store' } as const;

/** Undefined when this is not an http(s) address, or has a user name or a password, which errors would show. */
export function httpUrl(url: string | URL): URL | undefined {
  try {
    const parsed = new URL(url);
    const isPlain = /^https?:$/.test(parsed.protocol) && parsed.username + parsed.password === '';
    return isPlain ? parsed : undefined;
  } catch {
    return undefined;
  }
}

export function invalidUrl(name: string): never {
  throw invalidInput(`\`${name}\` must be an http(s) address without a user name and a password.`);
}
