// node program.mjs, in a pod: agents, experts, pages and readers, as `startHonest` has them.
//
// The first line of standard input holds the settings as JSON. The line `finish` ends the load, `report` asks for
// everything that the clients saw. Standard output has one line of JSON for each step.
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@expert-relay/testkit';
import type { DevUser } from '../../../scripts/local/secrets.ts';
import { startHonest } from '../../faults/chaos/honest.ts';
import type { Ledger } from '../../faults/load/ledger.ts';
import { createRandom } from '../../faults/plan/random.ts';
import type { ReaderLog } from '../../faults/readers/resuming-reader.ts';
import type { Listed } from '../../faults/verdict/judge-ledger.ts';
import { readLists } from '../../faults/verdict/read-lists.ts';

export interface LoadSettings {
  readonly gatewayUrl: string;
  readonly hubUrl: string;
  readonly user: DevUser;
  /** From a sign-in link: its session reads pages. */
  readonly signInToken: string;
  readonly seed: number;
}

export interface LoadReport {
  readonly ledger: Ledger;
  readonly calls: number;
  /** Calls that were made again, by the reason. */
  readonly retries: readonly (readonly [string, number])[];
  readonly readers: readonly ReaderLog[];
  readonly lists: readonly (readonly [string, Listed | undefined])[];
}

const lines = createInterface(process.stdin)[Symbol.asyncIterator]();
async function nextLine(): Promise<string> {
  const { value, done } = await lines.next();
  // Nobody waits for the report any more.
  if (done) process.exit();
  return value;
}

const settings = JSON.parse(await nextLine()) as LoadSettings;
const cookie = await signIn(settings);
const honest = await startHonest({ ...settings, cookie }, createRandom(settings.seed));
const { ledger, readers, client, clientOptions, timings } = honest;
const isBusy = () => ledger.conversations.length >= 8 && readers.length >= 8;
await eventually('conversations are under way', isBusy);
await print({ step: 'busy' });

await nextLine();
await honest.finish();
await print({ step: 'finished' });

await nextLine();
const incomplete = () => readers.filter((reader) => !hasEnds(reader)).length;
await eventually('every reader has heard of the end of what it follows', () => incomplete() === 0).catch(
  (error: Error) => ledger.oddities.push(`${incomplete()} readers: ${error.message}`),
);
// For what might come a second time.
await pause(700);
await honest.stop();
const report: LoadReport = {
  ledger,
  calls:
    timings.length +
    [...client.retries]
      .filter(([reason]) => reason.startsWith('no answer'))
      .reduce((sum, [, times]) => sum + times, 0),
  retries: [...client.retries],
  readers: readers.map(({ topics, stretches, oddities, reconnects }) => ({
    topics,
    stretches,
    oddities,
    reconnects,
  })),
  lists: [...(await readLists(settings, ledger, clientOptions))],
};
await print(report);
process.exit();

async function signIn({ gatewayUrl, signInToken }: LoadSettings): Promise<string> {
  const body = new URLSearchParams({ token: signInToken });
  const answer = await fetch(`${gatewayUrl}/auth/link`, { method: 'POST', body, redirect: 'manual' });
  const [session] = answer.headers.getSetCookie();
  if (!session) throw new Error(`POST /auth/link answered ${answer.status} without a cookie.`);
  return session.split(';')[0] ?? '';
}

/** The end is the last event of each request. */
function hasEnds({ topics: [topic = ''], stretches }: ReaderLog): boolean {
  if (/^\/svc\/providers\/[^/]+$/.test(topic)) return true;
  const heard = stretches.flatMap(({ events }) => events.map(({ data }) => data)).join('\n');
  return ledger.conversations
    .filter(({ requestId }) => topic.endsWith('/activity') || topic.endsWith(requestId))
    .every(({ refCode }) => new RegExp(`"request_closed"[^\\n]*"${refCode}"`).test(heard));
}

async function print(value: object): Promise<void> {
  if (!process.stdout.write(`${JSON.stringify(value)}\n`)) await once(process.stdout, 'drain');
}
