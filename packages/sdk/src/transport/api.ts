import type { Access, Timing } from '../client-options.ts';
import { invalidInput, RelayError, type RelayErrorReason } from '../relay-error.ts';
import { type Budget, createBudget, limitConcurrency } from './call-limits.ts';
import { problemError } from './problem-error.ts';
import { readText } from './read-stream.ts';
import { parseJson, unexpected } from './shape.ts';
import { pause, throwIfAborted, withTimeout } from './waiting.ts';

/** Calls the gateway. Calls are repeated after errors, since each contains an id that makes a repetition harmless. */
export interface Api {
  /** The gateway's address, without a slash at its end. */
  readonly url: string;
  readonly budget: Budget;
  /** The hub's address, once an answer has named it. */
  readonly hubUrl: string | undefined;
  /** Milliseconds to wait before attempt number `attempt`, from 0: random, up to a limit that doubles ("full jitter"). */
  backoff(attempt: number): number;
  get<T>(path: string, read: ReadAnswer<T>, signal?: AbortSignal): Promise<T>;
  /** With the ETag of what it replaces, if there is something. */
  put(path: string, body: object, etag: string | undefined, signal?: AbortSignal): Promise<void>;
  /** With `lasting`, an attempt that was begun before `signal` aborts is only aborted by `lasting`. `again` says before each repetition whether it is still wanted. */
  post<T>(
    path: string,
    body: object,
    read: ReadAnswer<T>,
    signal?: AbortSignal,
    lasting?: AbortSignal,
    again?: () => Promise<boolean>,
  ): Promise<T>;
}

/** Reads the body of an answer, which is JSON. Throws when it is not what was asked for. */
type ReadAnswer<T> = (answer: unknown, headers: Headers) => T;

/** Attempts of a call that fails because of the network or overload. Waiting for a rate limit does not count. */
const maxAttempts = 6;
/** A thousand conversations must not open a thousand sockets. */
const maxConcurrentCalls = 6;

export function createApi(options: Access & { timing: Timing }): Api {
  const { apiKey, timing, onOutage, fetch = globalThis.fetch, random = Math.random } = options;
  const url = baseUrl(options.url);
  const withSlot = limitConcurrency(maxConcurrentCalls);
  const budget = createBudget();
  let pausedUntil = 0;
  let hubUrl: string | undefined;
  let outage: RelayErrorReason | undefined;
  let outageSince = 0;

  function report(error?: RelayError): void {
    if (error?.reason === outage) return;
    outage = error?.reason;
    outageSince = performance.now();
    onOutage?.(error);
  }

  /** An answer to a call from before the outage does not end it. */
  const reportAnswer = (startedAt: number) => void (startedAt >= outageSince && report());

  const backoff = (attempt: number) =>
    random() * Math.min(timing.maxBackoffMs, timing.backoffMs * 2 ** attempt);

  async function attempt(
    path: string,
    init: RequestInit,
    signal: AbortSignal | undefined,
  ): Promise<[answer: unknown, headers: Headers]> {
    let response!: Response;
    const text = await withTimeout(timing.callMs, signal, async (inTime) => {
      response = await fetch(url + path, { ...init, signal: inTime });
      return readText(response, timing.callMs, inTime);
    }).catch((error: unknown) => {
      throwIfAborted(signal);
      if (error instanceof RelayError) throw error;
      const message = `The relay at ${url} cannot be reached. Check the address and the network.`;
      throw new RelayError('unreachable', message + corsHint(url), { cause: error });
    });
    budget.read(response.headers);
    hubUrl = response.headers.get('relay-hub') ?? hubUrl;
    const body = parseJson(text);
    if (!response.ok) throw problemError(response, body);
    if (body === undefined) unexpected('JSON');
    return [body, response.headers];
  }

  async function call<T>(
    path: string,
    init: RequestInit,
    read: ReadAnswer<T>,
    signal: AbortSignal | undefined,
    lasting = signal,
    again?: () => Promise<boolean>,
  ): Promise<T> {
    const headers = { ...(apiKey && { 'x-api-key': apiKey }), ...init.headers };
    const settings = {
      ...fetchSettings,
      ...(!apiKey && { credentials: 'same-origin' as const }),
      ...init,
      headers,
    };
    const retryUntil = performance.now() + timing.patienceMs;
    for (let failures = 0; ; ) {
      let startedAt = 0;
      try {
        const answer = read(
          ...(await withSlot(async () => {
            await pause(pausedUntil - performance.now(), signal);
            startedAt = performance.now();
            return attempt(apiKey ? path : sessionPath(path), settings, lasting);
          }, signal)),
        );
        reportAnswer(startedAt);
        return answer;
      } catch (error) {
        if (!isTransient(error)) {
          if ((error as Partial<RelayError>).status) reportAnswer(startedAt);
          throw error;
        }
        report(error);
        const { retryAfterMs, reason } = error;
        if (reason !== 'rate_limited') failures += 1;
        // The rate limit counts all calls, so all of them wait, but never longer than `patience`.
        else pausedUntil = performance.now() + Math.min(retryAfterMs ?? 60_000, timing.patienceMs);
        const wait = Math.max(retryAfterMs ?? 0, backoff(failures));
        if (failures === maxAttempts || performance.now() + wait > retryUntil) throw error;
        await pause(wait, signal);
        if (again && !(await again())) throw error;
      }
    }
  }

  return {
    url,
    budget,
    get hubUrl() {
      return hubUrl;
    },
    backoff,
    get: (path, read, signal) => call(path, {}, read, signal),
    put: (path, body, etag, signal) =>
      call(
        path,
        {
          method: 'PUT',
          headers: { 'content-type': 'application/json', ...(etag && { 'if-match': etag }) },
          body: JSON.stringify(body),
        },
        () => {},
        signal,
      ),
    post: (path, body, read, signal, lasting, again) =>
      call(
        path,
        { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
        read,
        signal,
        lasting,
        again,
      ),
  };
}

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

/** The path of the session API for a path of v1. */
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
