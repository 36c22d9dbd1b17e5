import { createStore, useStore } from './store.ts';

const minute = createStore(Date.now());
setInterval(() => minute.set(Date.now()), 30_000);

/** The current time, updated every half minute. */
export const useNow = (): number => useStore(minute);
