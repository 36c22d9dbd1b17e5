import type { Access, Timing } from '../client-options.ts';
import { hasCode, RelayError, type RelayErrorCode } from '../relay-error.ts';
import { throwIfAborted } from './aborted.ts';
import { type Budget, createBudget } from './budget.ts';
import { fetchSettings } from './fetch-settings.ts';
import { httpUrl, invalidUrl } from './http-url.ts';
import { createLanes } from './lanes.ts';
import { parseJson } from './parse-json.ts';
import { pause } from './pause.ts';
import { problemError } from './problem-error.ts';
import { readText } from './read-stream.ts';
import { sessionPath } from './session-path.ts';
import { unexpected } from './shape.ts';
import { within } from './within.ts';

/** Calls the gateway. Every call may be repeated: each carries what makes a repetition harmless. */
export interface Api {
  /** The gateway's address, without a slash at its end. */
  readonly url: string;
  readonly budget: Budget;
  /** How long to wait before try `attempt`, of 0 and up: any time up to a limit that doubles ("full jitter"). */
  backoff(attempt: number): number;
  get<T>(path: string, read: (answer: unknown) => T, signal?: AbortSignal): Promise<T>;
  post<T>(path: string, body: object, read: (answer: unknown) => T, signal?: AbortSignal): Promise<T>;
}

/** Tries of a call that the network or an overload fails; waiting for a rate limit is another matter. */
const tries = 6;
/** A thousand conversations must not open a thousand sockets. */
const width = 6;

export function createApi(options: Access & { timing: Timing }): Api {
  const { apiKey, timing, onOutage, fetch = globalThis.fetch, random = Math.random } = options;
  const url = baseUrl(options.url);
  const inLane = createLanes(width);
  const budget = createBudget();
  let closedUntil = 0;
  let outage: RelayErrorCode | undefined;
  let outageSince = 0;

  function report(error?: RelayError): void {
    if (error?.code === outage) return;
    outage = error?.code;
    outageSince = performance.now();
    onOutage?.(error);
  }

  /** An answer to a call from before the outage does not end it. */
  const reportAnswer = (begun: number) => void (begun >= outageSince && report());

  const backoff = (attempt: number) => random() * Math.min(timing.maxBackoff, timing.backoff * 2 ** attempt);

  async function attempt(path: string, init: RequestInit, signal: AbortSignal | undefined): Promise<unknown> {
    let response!: Response;
    const text = await within(timing.call, signal, async (inTime) => {
      response = await fetch(url + path, { ...init, signal: inTime });
      return readText(response, timing.call, inTime);
    }).catch((error: unknown) => {
      throwIfAborted(signal);
      if (error instanceof RelayError) throw error;
      const message = `The relay at ${url} cannot be reached. Check the address and the network.`;
      throw new RelayError('unreachable', message + corsHint(url), { cause: error });
    });
    budget.read(response.headers);
    const body = parseJson(text);
    if (!response.ok) throw problemError(response, body);
    if (body === undefined) unexpected('JSON');
    return body;
  }

  async function call<T>(
    path: string,
    init: RequestInit,
    read: (answer: unknown) => T,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const headers = { ...(apiKey && { 'x-api-key': apiKey }), ...init.headers };
    const settings = {
      ...fetchSettings,
      ...(!apiKey && { credentials: 'same-origin' as const }),
      ...init,
      headers,
    };
    const patientUntil = performance.now() + timing.patience;
    for (let failures = 0; ; ) {
      let begun = 0;
      try {
        const answer = read(
          await inLane(async () => {
            await pause(closedUntil - performance.now(), signal);
            begun = performance.now();
            return attempt(apiKey ? path : sessionPath(path), settings, signal);
          }, signal),
        );
        reportAnswer(begun);
        return answer;
      } catch (error) {
        if (!isPassing(error)) {
          if ((error as Partial<RelayError>).status) reportAnswer(begun);
          throw error;
        }
        report(error);
        const { retryAfter, code } = error;
        if (code !== 'rate_limited') failures += 1;
        // For all calls at once; but no answer closes the way for longer than we are patient.
        else closedUntil = performance.now() + Math.min(retryAfter ?? 60_000, timing.patience);
        const wait = Math.max(retryAfter ?? 0, backoff(failures));
        if (failures === tries || performance.now() + wait > patientUntil) throw error;
        await pause(wait, signal);
      }
    }
  }

  return {
    url,
    budget,
    backoff,
    get: (path, read, signal) => call(path, {}, read, signal),
    post: (path, body, read, signal) =>
      call(
        path,
        { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
        read,
        signal,
      ),
  };
}

/** Browsers do not tell a page whether its origin was refused or the network failed. */
function corsHint(url: string): string {
  const origin = (globalThis as { location?: { origin?: string } }).location?.origin;
  if (!origin || url.startsWith(origin)) return '';
  return ` For this page, the relay's setting RELAY_CORS_ORIGINS must contain ${origin}.`;
}

/** Whether the same call may well succeed a moment later. */
export const isPassing = (error: unknown): error is RelayError =>
  hasCode(error, 'unreachable', 'rate_limited', 'unexpected_answer');

function baseUrl(url: string | URL): string {
  const { href } = httpUrl(url) ?? invalidUrl('url');
  return href.replace(/\/*([?#].*)?$/, '');
}
