import type { DevUser } from '../../scripts/local/secrets.ts';

export interface BareOptions {
  readonly gatewayUrl: string;
  readonly hubUrl: string;
  readonly user: DevUser;
  readonly warmUp: number;
  readonly count: number;
}

/** The least that a question and its answer take: a submit, a stream for each side, a message and a list. */
export async function askBare({ gatewayUrl, hubUrl, user, warmUp, count }: BareOptions): Promise<number[]> {
  const call = async (path: string, body?: object, key = user.providerKey) => {
    const response = await fetch(gatewayUrl + path, {
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { requestId: string; messages: unknown[] };
  };

  const stopped = new AbortController();
  const answering = listen(
    `${hubUrl}?topic=/svc/providers/${user.userId}/activity`,
    user.providerKey,
    stopped.signal,
    async (event) => {
      if (event?.type !== 'new_request') return false;
      await call(`/api/v1/message/${event.requestId}`, { role: 'provider', plaintext: 'Yes, it is stale.' });
      return false;
    },
  ).catch(() => {});
  // The hub says nothing of when it listens; a moment is enough.
  await new Promise((resolve) => setTimeout(resolve, 200));

  const times: number[] = [];
  for (let at = 0; at < warmUp + count; at += 1) {
    const begun = performance.now();
    const { requestId } = await call('/api/v1/help', {
      apiKey: user.consumerKey,
      messages: [],
      question: 'May I remove the lock file?',
      plaintext: 'May I remove the lock file?',
    });
    const hasAnswer = async () => {
      const { messages } = await call(`/api/v1/messages/${requestId}`, undefined, user.consumerKey);
      return messages.length > 0;
    };
    // Once when the stream is there, since the answer may have been faster, and with each message.
    await listen(`${hubUrl}?topic=/svc/requests/${requestId}`, user.consumerKey, undefined, async (event) =>
      event === undefined || event.type === 'new_message' ? await hasAnswer() : false,
    );
    if (at >= warmUp) times.push(performance.now() - begun);
    await call(`/api/v1/close/${requestId}`, {}, user.consumerKey);
  }
  stopped.abort();
  await answering;
  return times;
}

/** Reads a stream until what was waited for is there: asked when it opens, and with each event. */
async function listen(
  url: string,
  key: string,
  signal: AbortSignal | undefined,
  isDone: (event: { type?: string; requestId?: string } | undefined) => Promise<boolean>,
): Promise<void> {
  const left = new AbortController();
  signal?.addEventListener('abort', () => left.abort());
  const response = await fetch(url, {
    headers: { accept: 'text/event-stream', 'x-api-key': key },
    signal: left.signal,
  });
  const decoder = new TextDecoder();
  let rest = '';
  if (await isDone(undefined)) return await response.body?.cancel();
  for await (const chunk of response.body ?? []) {
    const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      // Leaving the loop ends the stream.
      if (line.startsWith('data:') && (await isDone(JSON.parse(line.slice(5))))) return;
    }
  }
}
