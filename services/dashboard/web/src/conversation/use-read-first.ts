import { useState } from 'react';
import { flushSync } from 'react-dom';
import { awaitedQuestion, unreadOf } from './shown-texts.ts';
import type { useConversation } from './use-conversation.ts';

/** Whether the expert has been shown everything that an answer confirms. `last`: one more end, behind the messages. */
export function useReadFirst(conversation: ReturnType<typeof useConversation>, last?: string) {
  const [wasAsked, setWasAsked] = useState(false);
  const unread = unreadOf(conversation.now, last);
  const hint =
    unread === awaitedQuestion
      ? 'The agent has not sent its question yet: answer when you have read it.'
      : 'Read to the end first.';
  return {
    isUnread: unread !== undefined,
    /** A sentence for the expert who has pressed too early. */
    hint: wasAsked && unread !== undefined ? hint : '',
    /** Whether it may be sent. Otherwise the first text that was not read to its end is scrolled into view. */
    check(): boolean {
      const unread = unreadOf(conversation.state.get(), last);
      if (unread === undefined) return true;
      // The sentence makes the reply area higher, before the text is scrolled.
      flushSync(() => setWasAsked(true));
      bringTo(unread);
      return false;
    },
  };
}

/** Scrolls to the end of a text, or to what opens it: a button, or the summary of what is folded. */
export function bringTo(name: string): void {
  const selector = (attribute: string) => `[${attribute}="${CSS.escape(name)}"]`;
  const end = document.querySelector(selector('data-end'));
  const closed = document.querySelector(
    `details:not([open]):has(${selector('data-end')}, ${selector('data-folded')})`,
  );
  const folded =
    closed?.querySelector('summary') ??
    document.querySelector<HTMLElement>(`${selector('data-folded')}, [data-earlier]`);
  if (end && !closed) scrollTo(end, settlingFrames);
  else {
    folded?.scrollIntoView({ block: 'center' });
    folded?.focus({ preventScroll: true });
  }
}

/** The browser lays out the parts of a long text while they come into view, and so moves its end. */
const settlingFrames = 20;

function scrollTo(end: Element, frames: number): void {
  const stop = new AbortController();
  const next = (left: number) => {
    if (stop.signal.aborted) return;
    end.scrollIntoView({ block: 'end' });
    if (left > 0) requestAnimationFrame(() => next(left - 1));
    else stop.abort();
  };
  // What the expert does next may scroll elsewhere, and on a slow device these frames take a second.
  for (const event of ['pointerdown', 'keydown', 'wheel']) {
    addEventListener(event, () => stop.abort(), { capture: true, passive: true, signal: stop.signal });
  }
  next(frames);
}
