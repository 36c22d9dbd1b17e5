import { createStore, type Store } from '../ui/store.ts';

/** The state of the connection, as the newest call has shown it. */
export type Connection =
  | { readonly kind: 'online' }
  /** The browser has no network. */
  | { readonly kind: 'offline' }
  /** There is a network, but the relay does not answer. */
  | { readonly kind: 'unreachable' }
  /** Too many calls: the relay answers again at `until`, in milliseconds since 1970. */
  | { readonly kind: 'limited'; readonly until: number }
  /** The session has ended. Drafts are kept. */
  | { readonly kind: 'signed-out' };

const online: Connection = { kind: 'online' };

export const connection: Store<Connection> = createStore<Connection>(
  globalThis.navigator?.onLine === false ? { kind: 'offline' } : online,
);

/** Whether events arrive: undefined before the first stream has opened. */
export const streamIsOpen: Store<boolean | undefined> = createStore<boolean | undefined>(undefined);

/** When the newest problem was noted, by `performance.now()`. */
let awaySince = Number.NEGATIVE_INFINITY;

export function followNetwork(): void {
  addEventListener('offline', () => {
    awaySince = performance.now();
    if (connection.get().kind !== 'signed-out') connection.set({ kind: 'offline' });
  });
  addEventListener('online', () => {
    if (connection.get().kind === 'offline') connection.set(online);
  });
}

/** `startedAt` is the time when the call began, by `performance.now()`. */
export function noteAnswer({ ok, status, headers }: Response, startedAt: number): void {
  if (status === 401) connection.set({ kind: 'signed-out' });
  else if (status === 429) limit(Number(headers.get('retry-after') ?? 60) * 1_000);
  else if (status === 502 || status === 503 || status === 504) noteFailure();
  // A call that was started before the newest problem does not prove that it is over.
  else if (startedAt < awaySince) return;
  // A sign-in in another tab also applies to this one.
  else if (ok || connection.get().kind !== 'signed-out') connection.set(online);
}

function limit(waitMs: number): void {
  const state: Connection = { kind: 'limited', until: Date.now() + waitMs };
  awaySince = performance.now();
  connection.set(state);
  setTimeout(() => {
    if (connection.get() === state) connection.set(online);
  }, waitMs);
}

export function noteFailure(): void {
  if (connection.get().kind === 'signed-out') return;
  awaySince = performance.now();
  connection.set({ kind: navigator.onLine ? 'unreachable' : 'offline' });
}
