import { useEffect } from 'react';
import { createStore, useStore } from '../ui/store.ts';

const title = createStore('');
/** The number of waiting requests, shown in the title of every page. */
export const waitingCount = createStore<number | string>(0);

/** Names the page in the browser's tab. */
export function usePageTitle(name: string): void {
  useEffect(() => title.set(name), [name]);
}

export function DocumentTitle() {
  const name = useStore(title);
  const waiting = useStore(waitingCount);
  const count = waiting === 0 ? '' : `(${waiting}) `;
  return <title>{`${count}${name ? `${name} · ` : ''}Expert Relay`}</title>;
}
