import { get } from 'node:http';

/** Subscribers that never read a byte, as behind a network that has died: none may cost the others anything. */
export function openSilentReaders(
  count: number,
  { hubUrls, topic, apiKey }: { hubUrls: readonly string[]; topic: string; apiKey: string },
): () => void {
  const calls = Array.from({ length: count }, (_, index) => {
    const url = new URL(hubUrls[index % hubUrls.length] ?? '');
    url.searchParams.set('topic', topic);
    const headers = { accept: 'text/event-stream', 'x-api-key': apiKey };
    // The answer is taken, and nothing of what follows.
    const call = get(url, { headers, agent: false }, (response) => response.on('error', () => {}));
    return call.on('error', () => {});
  });
  return () => {
    for (const call of calls) call.destroy();
  };
}
