import { connection, noteAnswer, noteFailure } from './connection.ts';
import { noteRateLimit } from './rate-limit.ts';

/** An error answer of the relay, or no answer (status 0). */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly status: number;
  /** The relay's stable error code: see docs/errors.md. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }

  /** Whether a retry of the same call may succeed. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 502;
  }
}

/** Whether another device has changed what the call would replace. */
export const isConflict = (error: unknown): boolean =>
  error instanceof CallError && (error.status === 412 || error.status === 428);

/** `fetch` for the calls of the page and of the SDK. It also updates the state of the connection. */
export const relayFetch: typeof fetch = async (input, init) => {
  const startedAt = performance.now();
  try {
    const response = await fetch(input, init);
    noteAnswer(response, startedAt);
    noteRateLimit(response.headers);
    return response;
  } catch (error) {
    if (!init?.signal?.aborted) noteFailure();
    throw error;
  }
};

const probeMs = 10_000;

/** Probes the relay while it cannot be reached. Without other calls the page would not see that it is back. */
export function probeWhileUnreachable(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const schedule = () => {
    if (timer !== undefined || connection.get().kind !== 'unreachable') return;
    timer = setTimeout(async () => {
      if (connection.get().kind === 'unreachable') {
        await relayFetch('/api/me', { cache: 'no-store', redirect: 'error' }).catch(() => {});
      }
      timer = undefined;
      schedule();
    }, probeMs);
  };
  connection.subscribe(schedule);
}

export interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly body?: unknown;
  /** The `etag` of what the body replaces. */
  readonly replaces?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Answer<T> {
  readonly body: T;
  readonly etag: string | undefined;
}

/** Calls the session API. */
export async function call<T>(path: string, options: CallOptions = {}): Promise<Answer<T>> {
  const { method = 'GET', body, replaces, signal } = options;
  await untilAllowed(signal);
  const response = await relayFetch(path, {
    method,
    credentials: 'same-origin',
    redirect: 'error',
    cache: 'no-store',
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(replaces !== undefined && { 'if-match': replaces }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch(() => {
    signal?.throwIfAborted();
    throw new CallError(0, 'unreachable', 'The relay cannot be reached. Nothing was lost.');
  });
  const answer = response.status === 204 ? undefined : await response.json().catch(() => undefined);
  if (response.ok) return { body: answer as T, etag: response.headers.get('etag') ?? undefined };
  const {
    error: code = 'unexpected_answer',
    detail = `The relay answered ${response.status}. Try again, or reload this page.`,
  } = answer ?? {};
  throw new CallError(response.status, String(code), String(detail));
}

/** Waits while the rate limit refuses calls. The page shows until when. */
async function untilAllowed(signal: AbortSignal | undefined): Promise<void> {
  for (let state = connection.get(); state.kind === 'limited'; state = connection.get()) {
    const wait = state.until - Date.now();
    if (wait <= 0) return;
    await new Promise((resolve) => setTimeout(resolve, wait));
    signal?.throwIfAborted();
  }
}
