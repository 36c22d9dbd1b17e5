import type { Page } from 'playwright-core';

/** What a page has received so far. */
export interface ReceivedEvents {
  readonly messageIds: readonly string[];
  readonly resets: number;
  readonly ends: readonly string[];
  /** `readyState` of EventSource: 0 connecting, 1 open, 2 closed, without reconnecting. */
  readonly state: number;
}

/** Opens an EventSource in a page. The returned function reads what the page has received. */
export async function openEventSource(page: Page, url: string): Promise<() => Promise<ReceivedEvents>> {
  const script = `(() => {
    const source = new EventSource(${JSON.stringify(url)});
    const received = { messageIds: [], resets: 0, ends: [] };
    source.onmessage = ({ data }) => received.messageIds.push(JSON.parse(data).messageId);
    source.addEventListener('hub.reset', () => received.resets++);
    source.addEventListener('hub.end', ({ data }) => received.ends.push(JSON.parse(data).reason));
    window.received = () => ({ ...received, state: source.readyState });
  })()`;
  await page.evaluate(script);
  return () => page.evaluate<ReceivedEvents>('window.received()');
}
