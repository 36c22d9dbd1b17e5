import { useEffect, useState } from 'react';
import { describeNews } from './describe-news.ts';
import type { Inbox } from './inbox.ts';
import type { News } from './news.ts';

/** News within this time are announced together. */
const collectMs = 1_500;

/** Announces new requests and messages to screen readers. */
export function NewsAnnouncer({ inbox }: { inbox: Inbox }) {
  const [announcement, setAnnouncement] = useState({ text: '', number: 0 });
  useEffect(() => {
    const setText = (text: string) => setAnnouncement(({ number }) => ({ text, number: number + 1 }));
    let collected: News[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const announce = () => {
      const news = collected;
      collected = [];
      timer = undefined;
      const [first] = news;
      if (!first) return;
      if (news.length > 1) {
        const isAllRequests = news.every(({ kind }) => kind === 'request');
        setText(`${news.length} new ${isAllRequests ? 'requests' : 'requests and messages'}`);
        return;
      }
      setText(describeNews(first));
    };
    const unlisten = inbox.onNews((news) => {
      collected.push(news);
      timer ??= setTimeout(announce, collectMs);
    });
    return () => {
      unlisten();
      clearTimeout(timer);
    };
  }, [inbox]);
  return (
    <div className="visually-hidden" role="status" aria-label="New requests">
      {/* A new element each time, since a live region does not announce an unchanged text again. */}
      <span key={announcement.number}>{announcement.text}</span>
    </div>
  );
}
