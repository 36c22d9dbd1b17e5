import type { Page } from 'playwright-core';

/** What a page has heard so far. */
export interface Heard {
  readonly messageIds: readonly string[];
  readonly resets: number;
  readonly ends: readonly string[];
  /** As EventSource counts: 0 connecting, 1 open, 2 given up for good. */
  readonly state: number;
}

/** Opens a plain EventSource in the page, which does nothing but note what comes. */
export async function listenInPage(page: Page, url: string): Promise<() => Promise<Heard>> {
  const script = `(() => {
    const source = new EventSource(${JSON.stringify(url)});
    const heard = { messageIds: [], resets: 0, ends: [] };
    source.onmessage = ({ data }) => heard.messageIds.push(JSON.parse(data).messageId);
    source.addEventListener('hub.reset', () => heard.resets++);
    source.addEventListener('hub.end', ({ data }) => heard.ends.push(JSON.parse(data).reason));
    window.heard = () => ({ ...heard, state: source.readyState });
  })()`;
  await page.evaluate(script);
  return () => page.evaluate<Heard>('window.heard()');
}
