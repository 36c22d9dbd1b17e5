import { spreadOf } from '../measure/spread.ts';
import { askBare } from '../requests/ask-bare.ts';
import type { Stage } from '../stage/stage.ts';
import type { Row } from './row.ts';

const goal = 15;
const warmUp = 20;
const count = 100;

/** From the question to the answer, both sides in this process: with the SDK, and by the calls alone. */
export const roundTrip: Row = {
  name: 'round-trip',
  async play(stage, { progress }) {
    const { gatewayUrl, hubUrl } = await start(stage);
    progress('with the SDK');
    const sdk = await askAndAnswer(stage, gatewayUrl, hubUrl);
    progress('by bare calls');
    const bare = await askBare({ gatewayUrl, hubUrl, user: stage.user, warmUp, count });
    const [ours, theirs] = [spreadOf(sdk), spreadOf(bare)];
    return [
      {
        title: 'round-trip: question to answer, encrypted, by the SDK',
        ratio: spreadOf([theirs.median / ours.median]),
        goal: { text: `p50 <= ${goal} ms`, reached: ours.median <= goal },
      },
      { title: '  with the SDK', note: milliseconds(sdk) },
      {
        title: '  / submit, stream, answer and list by fetch alone, in plain text',
        note: milliseconds(bare),
      },
    ];
  },
};

async function start(stage: Stage) {
  const [, , hub, gateway] = [
    await stage.service('requests'),
    await stage.service('messages'),
    await stage.service('hub'),
    await stage.service('gateway'),
  ];
  const url = (port: number) => `http://127.0.0.1:${port}`;
  return { gatewayUrl: url(gateway.port), hubUrl: url(hub.port) };
}

async function askAndAnswer({ user }: Stage, url: string, hubUrl: string): Promise<number[]> {
  // Not built yet when this file is loaded.
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
      const begun = performance.now();
      const conversation = await relay.ask({ question: 'May I remove the lock file?' });
      // An expert that fails says why; the agent would only wait in vain.
      await Promise.race([conversation.waitForAnswer({ timeout: 10_000 }), answering]);
      if (at >= warmUp) times.push(performance.now() - begun);
      await conversation.close();
    }
  } finally {
    relay.stop();
    expert.stop();
    await answering.catch(() => {});
  }
  return times;
}

function milliseconds(times: readonly number[]): string {
  const sorted = [...times].sort((one, other) => one - other);
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(1);
  return `p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, least ${at(0)} ms`;
}
