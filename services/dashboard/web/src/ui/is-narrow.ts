import { useSyncExternalStore } from 'react';

/** On a narrow screen the list and the conversation are two pages: the same width as in the style sheets. */
const query = '(max-width: 767px)';

export const isNarrow = (): boolean => matchMedia(query).matches;

function subscribe(call: () => void): () => void {
  const list = matchMedia(query);
  list.addEventListener('change', call);
  return () => list.removeEventListener('change', call);
}

export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, isNarrow);
