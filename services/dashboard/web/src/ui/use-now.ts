import { createStore, useStore } from './store.ts';

const minute = createStore(Date.now());
setInterval(() => minute.set(Date.now()), 30_000);

/** The time, as it goes on: good to half a minute. */
export const useNow = (): number => useStore(minute);
