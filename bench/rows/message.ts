import { randomUUID } from 'node:crypto';
import { allProcesses } from '../environment/all-processes.ts';
import type { Environment } from '../environment/environment.ts';
import type { BenchProcess } from '../environment/processes.ts';
import { compare } from '../measure/compare.ts';
import { profileRun } from '../measure/profile.ts';
import { measureOnce, type Subject } from '../measure/subject.ts';
import type { TimedRun } from '../programs/timed-run.ts';
import { httpText } from '../requests/http-request.ts';
import { writeConversation } from '../requests/seed.ts';
import { pathOf } from './hub/event-publisher.ts';
import { type Row, toLine } from './row.ts';

const readers = 1_000;
const count = 4_000;
const concurrency = 32;
const goal = 1.8;

/**
 * A message from its POST to its event on one of 1,000 streams: the CPU time of all processes, servers included, compared
 * with a chain of bare programs over the same servers.
 */
export const message: Row = {
  name: 'message',
  onlyByName: true,
  async measure(environment, { progress, rounds, profiles }) {
    progress('starting both chains');
    const { database, user } = environment;
    const ids: string[] = [];
    for (let n = 0; n < readers; n++) ids.push(await writeConversation(database, user.userId, 0));
    const [ours, bare] = [await openOurs(environment, ids), await openBare(environment, ids)];
    const { waitUntilPublished: afterRun } = database;
    const subjects = [bare.subject, ours.subject] as const;
    const results = await compare({ subjects, rounds, count, afterRun, progress });
    const [base, own] = results.map(toLine);
    const times = 1 / (own?.cpuRatio?.median ?? 0);
    const reached = times <= goal;
    const lines = [
      {
        ...own,
        title: `message: ours costs ${times.toFixed(2)} times the CPU of the bare chain`,
        goal: { text: `<= ${goal}`, reached },
      },
      { ...base, title: '  / bare proxy, service with one statement, publish, hub' },
    ];
    if (!profiles) return lines;
    for (const { subject, processes } of [ours, bare]) {
      progress(`profile: ${subject.name}`);
      const options = { count, folder: profiles, row: 'message' };
      lines.push(...(await profileRun(processes, options, () => measureOnce(subject, count))));
    }
    return lines;
  },
};

interface Chain {
  readonly subject: Subject;
  /** The Node processes of the chain. */
  readonly processes: readonly BenchProcess[];
}

async function openOurs(environment: Environment, ids: readonly string[]): Promise<Chain> {
  const messages = await environment.service('messages');
  await environment.database.waitForOutboxLeader();
  const [gateway, hub] = [await environment.service('gateway'), await environment.service('hub')];
  const subscribers = await environment.program('subscribers');
  await subscribers.call('open', { port: hub.port, paths: ids.map(pathOf) });
  const headers = { 'x-api-key': environment.user.providerKey };
  const subject = chainSubject(environment, { name: 'ours', gateway, subscribers, ids, headers });
  return { subject, processes: [gateway, messages, hub] };
}

async function openBare(environment: Environment, ids: readonly string[]): Promise<Chain> {
  const env = { NATS_URL: environment.natsUrl, BENCH_STREAM: 'bare-chain' };
  const service = await environment.program('bare-message', env);
  const hub = await environment.program('bare-topic-hub', env);
  const proxyEnv = { BENCH_UPSTREAM_PORT: String(service.port) };
  const gateway = await environment.program('bare-proxy', proxyEnv, 'bare-chain-proxy');
  const subscribers = await environment.program('subscribers', {}, 'bare-chain-subscribers');
  await subscribers.call('open', { port: hub.port, paths: ids.map((id) => `/${id}`) });
  const subject = chainSubject(environment, { name: 'bare chain', gateway, subscribers, ids, headers: {} });
  return { subject, processes: [gateway, service, hub] };
}

/** Posts messages to the conversations in turn, and waits until each reader has its events. */
function chainSubject(
  environment: Environment,
  chain: {
    name: string;
    gateway: BenchProcess;
    subscribers: BenchProcess;
    ids: readonly string[];
    headers: Record<string, string>;
  },
): Subject {
  const { load } = environment;
  const { name, gateway, subscribers, ids, headers } = chain;
  let perStream = 0;
  return {
    name,
    processes: [allProcesses({ but: [load, subscribers] })],
    async run() {
      const requests = Array.from({ length: count }, (_, n) =>
        httpText('POST', `/api/v1/message/${ids[n % ids.length]}`, {
          headers,
          body: { role: 'provider', plaintext: 'Yes, it is stale.', messageId: randomUUID() },
        }),
      );
      const run = await load.call<TimedRun>('run', { port: gateway.port, requests, count, concurrency });
      perStream += count / ids.length;
      await subscribers.call('waitForEvents', { perStream, timeoutMs: 60_000 });
      return run;
    },
  };
}
