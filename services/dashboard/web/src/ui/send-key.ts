import type { KeyboardEvent } from 'react';

/** Ctrl+Enter, or with the command key of a Mac. Enter within an input method only ends a word. */
export const isSendKey = ({ key, ctrlKey, metaKey, nativeEvent }: KeyboardEvent): boolean =>
  key === 'Enter' && (ctrlKey || metaKey) && !nativeEvent.isComposing;
