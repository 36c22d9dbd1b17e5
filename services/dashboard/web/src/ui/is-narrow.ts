import { useSyncExternalStore } from 'react';

/** On a narrow screen the list and the conversation are two pages: the same width as in the style sheets. */
const query = '(max-width: 767px)';

export const isNarrow = (): boolean => matchMedia(query).matches;

const subscribe = (call: () => void): (() => void) => {
  addEventListener('resize', call);
  return () => removeEventListener('resize', call);
};

export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, isNarrow);

const isTight = (): boolean => matchMedia('(max-width: 1279px)').matches;

/** A conversation has little width: on a phone, and beside the list on a tablet or in a small window. */
export const useIsTight = (): boolean => useSyncExternalStore(subscribe, isTight);
