import type { DevUser } from '../../scripts/local/secrets.ts';
import type { Environment } from '../environment/environment.ts';
import { quantile, spreadOf } from '../measure/spread.ts';
import type { Row } from './row.ts';

const goal = 15;
const warmUp = 20;
const count = 100;

/** From the question to the answer, with both sides in this process: with the SDK, and with bare calls. */
export const roundTrip: Row = {
  name: 'round-trip',
  onlyByName: true,
  async measure(environment, { progress }) {
    const { gatewayUrl, hubUrl } = await start(environment);
    progress('with the SDK');
    const sdk = await askAndAnswer(environment, gatewayUrl, hubUrl);
    progress('with bare calls');
    const bare = await askBare({ gatewayUrl, hubUrl, user: environment.user });
    const [ours, theirs] = [spreadOf(sdk), spreadOf(bare)];
    return [
      {
        title: 'round-trip: question to answer, encrypted, by the SDK',
        ratio: spreadOf([theirs.median / ours.median]),
        goal: { text: `p50 <= ${goal} ms`, reached: ours.median <= goal },
      },
      { title: '  with the SDK', note: formatTimes(sdk) },
      {
        title: '  / submit, stream, answer and list by fetch alone, in plain text',
        note: formatTimes(bare),
      },
    ];
  },
};

async function start(environment: Environment) {
  const [, , hub, gateway] = [
    await environment.service('requests'),
    await environment.service('messages'),
    await environment.service('hub'),
    await environment.service('gateway'),
  ];
  const url = (port: number) => `http://127.0.0.1:${port}`;
  return { gatewayUrl: url(gateway.port), hubUrl: url(hub.port) };
}

async function askAndAnswer({ user }: Environment, url: string, hubUrl: string): Promise<number[]> {
  // Imported here because the package is not built yet when this file is loaded.
  const { createRelay } = await import('@expert-relay/sdk');
  const { createExpert } = await import('@expert-relay/sdk/expert');
  const { makeRoot } = await import('@expert-relay/sdk/crypto');
  const relay = createRelay({ url, hubUrl, apiKey: user.consumerKey });
  const expert = createExpert({ url, hubUrl, apiKey: user.providerKey, root: makeRoot() });
  const answering = (async () => {
    for await (const request of expert.requests()) await request.answer('Yes, it is stale.');
  })();
  const times: number[] = [];
  try {
    for (let at = 0; at < warmUp + count; at += 1) {
      const startedAt = performance.now();
      const conversation = await relay.ask({ question: 'May I remove the lock file?' });
      // If the expert fails, its error is reported, and not the timeout of the agent.
      await Promise.race([conversation.waitForAnswer({ timeoutMs: 10_000 }), answering]);
      if (at >= warmUp) times.push(performance.now() - startedAt);
      await conversation.close();
    }
  } finally {
    relay.stop();
    expert.stop();
    await answering.catch(() => {});
  }
  return times;
}

interface BareOptions {
  readonly gatewayUrl: string;
  readonly hubUrl: string;
  readonly user: DevUser;
}

/** The fewest calls for a question and its answer: a submit, a stream for each side, a message and a list. */
async function askBare({ gatewayUrl, hubUrl, user }: BareOptions): Promise<number[]> {
  const call = async (path: string, body?: object, key = user.providerKey) => {
    const response = await fetch(gatewayUrl + path, {
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { requestId: string; messages: unknown[] };
  };

  const stopped = new AbortController();
  const answering = readStream(
    `${hubUrl}?topic=/svc/providers/${user.userId}/activity`,
    user.providerKey,
    stopped.signal,
    async (event) => {
      if (event?.type !== 'new_request') return false;
      await call(`/api/v1/message/${event.requestId}`, { role: 'provider', plaintext: 'Yes, it is stale.' });
      return false;
    },
  ).catch(() => {});
  // The expert's stream is opened during this time. The first questions are not counted anyway.
  await new Promise((resolve) => setTimeout(resolve, 200));

  const times: number[] = [];
  for (let at = 0; at < warmUp + count; at += 1) {
    const startedAt = performance.now();
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
    // Reads the list when the stream opens, since the answer may have come earlier, and at each message.
    await readStream(
      `${hubUrl}?topic=/svc/requests/${requestId}`,
      user.consumerKey,
      undefined,
      async (event) => (event === undefined || event.type === 'new_message' ? await hasAnswer() : false),
    );
    if (at >= warmUp) times.push(performance.now() - startedAt);
    await call(`/api/v1/close/${requestId}`, {}, user.consumerKey);
  }
  stopped.abort();
  await answering;
  return times;
}

/** Reads a stream until `isDone` is true. It is called when the stream opens, and for each event. */
async function readStream(
  url: string,
  key: string,
  signal: AbortSignal | undefined,
  isDone: (event: { type?: string; requestId?: string } | undefined) => Promise<boolean>,
): Promise<void> {
  const closed = new AbortController();
  signal?.addEventListener('abort', () => closed.abort());
  const response = await fetch(url, {
    headers: { accept: 'text/event-stream', 'x-api-key': key },
    signal: closed.signal,
  });
  const decoder = new TextDecoder();
  let rest = '';
  if (await isDone(undefined)) return await response.body?.cancel();
  for await (const chunk of response.body ?? []) {
    const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      // The end of the loop closes the stream.
      if (line.startsWith('data:') && (await isDone(JSON.parse(line.slice(5))))) return;
    }
  }
}

function formatTimes(times: readonly number[]): string {
  const at = (share: number) => quantile(times, share).toFixed(1);
  return `p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, least ${at(0)} ms`;
}
