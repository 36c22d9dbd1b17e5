import type { ExpertMessage } from '@expert-relay/sdk/expert';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { PendingAnswer } from './conversation-state.ts';

/** Within this distance from its end, the view counts as scrolled to the end. */
const nearPx = 48;
/** Content that opens at a click, such as older context, must not scroll the view to the end. */
const afterClickMs = 300;

/** Follows new messages while the view is scrolled to its end. Otherwise `hasNew` reports them. */
export function useScroll(messages: readonly ExpertMessage[], answers: readonly PendingAnswer[]) {
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const [content, setContent] = useState<HTMLElement | null>(null);
  const [hasNew, setHasNew] = useState(false);
  const [announcement, setAnnouncement] = useState(0);
  const isFollowing = useRef(false);
  const seen = useRef<number | undefined>(undefined);
  const height = useRef(0);

  const toEnd = useCallback(() => {
    isFollowing.current = true;
    setHasNew(false);
    if (scroller) scroller.scrollTop = scroller.scrollHeight;
  }, [scroller]);

  useEffect(() => {
    if (!scroller || !content) return;
    let clickedAt = Number.NEGATIVE_INFINITY;
    const onScroll = () => {
      isFollowing.current = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < nearPx;
      if (isFollowing.current) setHasNew(false);
    };
    const onClick = () => {
      clickedAt = performance.now();
    };
    const observer = new ResizeObserver(() => {
      height.current = scroller.scrollHeight;
      if (isFollowing.current && performance.now() - clickedAt > afterClickMs) {
        scroller.scrollTop = scroller.scrollHeight;
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
    const isFromAgent = messages.slice(before).some(({ role }) => role === 'consumer');
    const wasAtEnd =
      isFollowing.current || height.current - scroller.scrollTop - scroller.clientHeight < nearPx;
    if (isFromAgent) setAnnouncement(count);
    if (wasAtEnd) toEnd();
    else if (isFromAgent) setHasNew(true);
  }, [messages, scroller, toEnd]);

  const newest = answers.at(-1)?.key;
  useLayoutEffect(() => {
    if (newest && isFollowing.current) toEnd();
  }, [newest, toEnd]);

  return { scroller: setScroller, content: setContent, hasNew, announcement, toEnd };
}
