import { type RefObject, useEffect } from 'react';
import { isTyping } from '../shell/shortcuts.ts';

/** A phone held upright has at most this height above its keyboard. */
const lowPx = 560;

/** Keeps the element above the on-screen keyboard in browsers whose keyboard covers the page. */
export function useKeyboardInset(element: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const viewport = window.visualViewport;
    if (!viewport) return;
    const fit = () => {
      // While the user has zoomed in, the difference in height is not the keyboard.
      const inset = viewport.scale > 1.01 ? 0 : window.innerHeight - viewport.height - viewport.offsetTop;
      element.current?.style.setProperty('--keyboard-inset', `${Math.max(0, Math.round(inset))}px`);
      // Little height is left: only what the expert needs to write is shown.
      const isLow = viewport.height <= lowPx && isTyping(document.activeElement);
      element.current?.toggleAttribute('data-keyboard', isLow);
    };
    viewport.addEventListener('resize', fit);
    viewport.addEventListener('scroll', fit);
    // In a low window, nothing is resized when a field takes the focus.
    document.addEventListener('focusin', fit);
    return () => {
      document.removeEventListener('focusin', fit);
      viewport.removeEventListener('resize', fit);
      viewport.removeEventListener('scroll', fit);
    };
  }, [element]);
}
