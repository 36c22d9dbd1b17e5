import { useSyncExternalStore } from 'react';

/** A value outside React that components subscribe to. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  subscribe(call: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  const calls = new Set<() => void>();
  let value = initial;
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const call of [...calls]) call();
    },
    subscribe(call) {
      calls.add(call);
      return () => calls.delete(call);
    },
  };
}

export const useStore = <T>({ subscribe, get }: Store<T>): T => useSyncExternalStore(subscribe, get, get);
