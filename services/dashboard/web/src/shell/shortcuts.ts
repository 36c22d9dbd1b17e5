import { useEffect, useRef } from 'react';
import { preferences } from '../storage/preferences.ts';

type Shortcuts = Readonly<Record<string, () => void>>;

/** The second key must follow `g` within this time. */
const sequenceMs = 1_000;

/** The key that sends with Enter, as the pages name it. Both keys work. */
export const sendKey = /Mac|iP(hone|ad|od)/.test(navigator.platform) ? '⌘' : 'Ctrl';

/**
 * Handles keys such as `j`, `/` or `g i` while no text is being typed and no dialog is open. They can be switched off in
 * Settings (WCAG 2.1.4).
 */
export function useShortcuts(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  useEffect(() => {
    let prefix = '';
    let prefixAt = 0;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!preferences.get().shortcuts || isTyping(event.target) || document.querySelector('dialog[open]'))
        return;
      const isSequence = prefix !== '' && performance.now() - prefixAt < sequenceMs;
      const name = isSequence ? `${prefix} ${event.key}` : event.key;
      prefix = event.key === 'g' ? 'g' : '';
      prefixAt = performance.now();
      const run = current.current[name];
      if (!run) return;
      event.preventDefault();
      // A key that is held down moves through the list, and does nothing else twice.
      if (!event.repeat || /^[jk]$/.test(name)) run();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type="checkbox"]), textarea, select'));
