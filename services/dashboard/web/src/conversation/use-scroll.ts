import type { Message } from '@expert-relay/sdk';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { PendingAnswer } from './conversation-state.ts';

/** Within this distance from its end, the view counts as scrolled to the end: what stands below the end of a question fits into it. */
const nearPx = 120;
/** Of the height of the view: what stays above a form that fills it, so that the text before the form is seen. */
const aboveForm = 1 / 3;
/** Content that opens at a click, such as older context, must not scroll the view to the end. */
const afterClickMs = 300;

/** How far the view is scrolled at its end: at the newest message, or where a form begins that does not fit below it. */
function endOf(scroller: HTMLElement): number {
  const end = scroller.scrollHeight - scroller.clientHeight;
  const form = scroller.querySelector('[data-form]');
  if (!form) return end;
  const top = form.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;
  return Math.max(0, Math.min(end, top - scroller.clientHeight * aboveForm));
}

/** Follows new messages while the view is scrolled to its end. Otherwise `hasNew` reports them. */
export function useScroll(messages: readonly Message[], answer: PendingAnswer | undefined) {
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const [content, setContent] = useState<HTMLElement | null>(null);
  const [hasNew, setHasNew] = useState(false);
  const [announcement, setAnnouncement] = useState(0);
  const isFollowing = useRef(false);
  const seen = useRef<number | undefined>(undefined);
  const end = useRef(0);

  const toEnd = useCallback(() => {
    isFollowing.current = true;
    setHasNew(false);
    if (scroller) scroller.scrollTop = endOf(scroller);
  }, [scroller]);

  useEffect(() => {
    if (!scroller || !content) return;
    let clickedAt = Number.NEGATIVE_INFINITY;
    const isAt = (top: number) => Math.abs(top - scroller.scrollTop) < nearPx;
    const onScroll = () => {
      // What grew since the observer last ran, such as a form that appeared, does not make a view at its end leave it.
      isFollowing.current = [endOf(scroller), end.current].some(isAt);
      if (isFollowing.current) setHasNew(false);
    };
    const onClick = () => {
      clickedAt = performance.now();
    };
    const observer = new ResizeObserver(() => {
      end.current = endOf(scroller);
      if (isFollowing.current && performance.now() - clickedAt > afterClickMs) {
        scroller.scrollTop = end.current;
      }
    });
    observer.observe(scroller);
    observer.observe(content);
    scroller.addEventListener('scroll', onScroll, { passive: true });
    scroller.addEventListener('click', onClick, true);
    return () => {
      observer.disconnect();
      scroller.removeEventListener('scroll', onScroll);
      scroller.removeEventListener('click', onClick, true);
    };
  }, [scroller, content]);

  useLayoutEffect(() => {
    if (!scroller) return;
    const count = messages.length;
    const before = seen.current;
    seen.current = count;
    if (before === undefined) {
      // The view starts at the newest message, or at the question if there is none.
      if (count > 0) toEnd();
      return;
    }
    if (count <= before) return;
    const isFromAgent = messages.slice(before).some(({ from }) => from === 'agent');
    const wasAtEnd = isFollowing.current || Math.abs(end.current - scroller.scrollTop) < nearPx;
    if (isFromAgent) setAnnouncement(count);
    if (wasAtEnd) toEnd();
    else if (isFromAgent) setHasNew(true);
  }, [messages, scroller, toEnd]);

  const newest = answer?.messageId;
  useLayoutEffect(() => {
    // Also one of an earlier visit that was not sent: below the view it would count as sent.
    if (newest) toEnd();
  }, [newest, toEnd]);

  return { scroller: setScroller, content: setContent, hasNew, announcement, toEnd };
}
