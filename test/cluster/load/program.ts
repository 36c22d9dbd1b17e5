// node program.mjs, in a pod: the agents, experts, pages and readers of `startHonestClients`.
//
// The first line of standard input is the settings as JSON. The line `finish` ends the load, and `report` prints everything
// that the clients received. Standard output has one line of JSON for each step.
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@expert-relay/testkit';
import type { DevUser } from '../../../scripts/local/secrets.ts';
import { startHonestClients } from '../../faults/chaos/honest-clients.ts';
import type { Listed } from '../../faults/checks/check-ledger.ts';
import { readLists } from '../../faults/checks/check-ledger.ts';
import type { Ledger } from '../../faults/load/ledger.ts';
import { createRandom } from '../../faults/plan/random.ts';
import type { ReaderLog } from '../../faults/readers/resuming-reader.ts';

export interface LoadSettings {
  readonly gatewayUrl: string;
  readonly hubUrl: string;
  readonly user: DevUser;
  /** From a sign-in link. Its session reads pages. */
  readonly signInToken: string;
  readonly seed: number;
}

export interface LoadReport {
  readonly ledger: Ledger;
  readonly calls: number;
  /** The longest time without a final response to any call. */
  readonly longestGapMs: number;
  /** Repeated calls, by reason. */
  readonly retries: readonly (readonly [string, number])[];
  readonly readers: readonly ReaderLog[];
  readonly lists: readonly (readonly [string, Listed | undefined])[];
}

const lines = createInterface(process.stdin)[Symbol.asyncIterator]();
async function nextLine(): Promise<string> {
  const { value, done } = await lines.next();
  // The parent has ended, so the report is not needed.
  if (done) process.exit();
  return value;
}

const settings = JSON.parse(await nextLine()) as LoadSettings;
const cookie = await signIn(settings);
const honest = await startHonestClients({ ...settings, cookie }, createRandom(settings.seed));
const { ledger, readers, client, clientOptions, timings } = honest;
const isBusy = () => ledger.conversations.length >= 8 && readers.length >= 8;
await eventually('conversations have started', isBusy);
await print({ step: 'busy' });

await nextLine();
// Later, the last conversations end with fewer calls.
const longestGapMs = longestGap(performance.now());
await honest.finish();
await print({ step: 'finished' });

await nextLine();
const incomplete = () => readers.filter((reader) => !hasEnds(reader)).length;
await eventually('every reader has received the ends of its requests', () => incomplete() === 0).catch(
  (error: Error) => ledger.unexpected.push(`${incomplete()} readers: ${error.message}`),
);
// An event that is delivered twice would arrive during this time.
await pause(700);
await honest.stop();
const report: LoadReport = {
  ledger,
  calls:
    timings.length +
    [...client.retries]
      .filter(([reason]) => reason.startsWith('no response'))
      .reduce((sum, [, times]) => sum + times, 0),
  longestGapMs,
  retries: [...client.retries],
  readers: readers.map(({ topics, segments, unexpected, reconnects }) => ({
    topics,
    segments,
    unexpected,
    reconnects,
  })),
  lists: [...(await readLists(settings, ledger, clientOptions))],
};
await print(report);
process.exit();

async function signIn({ gatewayUrl, signInToken }: LoadSettings): Promise<string> {
  const body = new URLSearchParams({ token: signInToken });
  const response = await fetch(`${gatewayUrl}/auth/link`, { method: 'POST', body, redirect: 'manual' });
  const [session] = response.headers.getSetCookie();
  if (!session) throw new Error(`POST /auth/link responded with ${response.status} without a cookie.`);
  return session.split(';')[0] ?? '';
}

/** Whether a reader has received the last event of each of its requests. */
function hasEnds({ topics: [topic = ''], segments }: ReaderLog): boolean {
  if (/^\/svc\/providers\/[^/]+$/.test(topic)) return true;
  const received = segments.flatMap(({ events }) => events.map(({ data }) => data)).join('\n');
  return ledger.conversations
    .filter(({ requestId }) => topic.endsWith('/activity') || topic.endsWith(requestId))
    .every(({ refCode }) => new RegExp(`"request_closed"[^\\n]*"${refCode}"`).test(received));
}

function longestGap(end: number): number {
  const times = timings.filter(({ isFinal }) => isFinal).map(({ at }) => at);
  const gaps = [...times, end].map((at, index) => at - (times[index - 1] ?? at));
  return Math.round(Math.max(...gaps));
}

async function print(value: object): Promise<void> {
  if (!process.stdout.write(`${JSON.stringify(value)}\n`)) await once(process.stdout, 'drain');
}
