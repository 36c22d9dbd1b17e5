import type { Environment } from '../environment/environment.ts';
import type { BenchProcess } from '../environment/processes.ts';
import { spreadOf } from '../measure/spread.ts';
import { loadSubject, measureOnce } from '../measure/subject.ts';
import type { Line } from '../measure/table.ts';
import type { Usage } from '../programs/answer-commands.ts';
import { httpText } from '../requests/http-request.ts';
import { encryptedMessage, submission } from '../requests/samples.ts';
import { writeConversation } from '../requests/seed.ts';
import type { Row } from './row.ts';

/** Memory is measured after these numbers of calls to each service behind the gateway. */
const marks = [20_000, 60_000, 100_000];
const goal = 1.1;

/** Whether services leak memory: the heap after a garbage collection, while they answer calls. */
export const memory: Row = {
  name: 'memory',
  async measure(environment, { progress }) {
    const services = await startAll(environment);
    const [gateway] = services;
    const calls = await everydayCalls(environment, gateway);
    const subject = loadSubject({
      name: 'the gateway',
      load: environment.load,
      processes: [gateway],
      makeRequests: () => calls,
    });
    const seen = new Map<BenchProcess, Usage[]>(services.map((service) => [service, []]));
    let answered = 0;
    for (const mark of marks) {
      progress(`up to ${mark.toLocaleString('en')} calls for each service`);
      // Each of the three services behind the gateway answers every third call.
      await measureOnce(subject, (mark - answered) * 3);
      await environment.database.waitUntilPublished();
      answered = mark;
      for (const service of services) seen.get(service)?.push(await service.usage({ collectGarbage: true }));
    }
    return toLines([...seen]);
  },
};

async function startAll(environment: Environment): Promise<[BenchProcess, ...BenchProcess[]]> {
  const [messages, requests] = [await environment.service('messages'), await environment.service('requests')];
  const dashboard = await environment.service('dashboard', {
    // The sign-in without GitHub or Google exists only in development.
    env: { NODE_ENV: 'development', RELAY_DEV_LOGIN: 'true' },
  });
  // A ring that is full at the first measurement, since it grows until then.
  const hub = await environment.service('hub', { env: { RELAY_HUB_RING_EVENTS: '10000' } });
  const worker = await environment.service('expiry-worker');
  return [await environment.service('gateway'), requests, messages, dashboard, hub, worker];
}

function toLines(seen: readonly (readonly [BenchProcess, readonly Usage[]])[]): readonly Line[] {
  const growths = seen.map(([, usages]) => (usages.at(-1)?.heap ?? 0) / (usages[0]?.heap ?? 1));
  const ratio = spreadOf(growths);
  return [
    {
      title: `memory: heap after ${marks.map((mark) => `${mark / 1000}k`).join(', ')} calls, last / first`,
      ratio,
      goal: { text: `<= ${goal.toFixed(2)}`, reached: ratio.max <= goal },
    },
    ...seen.map(([{ name }, usages]) => ({
      title: `  ${name.padEnd(14)}`,
      note: `heap ${megabytes(usages.map(({ heap }) => heap))}, resident ${megabytes(usages.map(({ rss }) => rss))}`,
    })),
  ];
}

const megabytes = (bytes: readonly number[]) =>
  `${bytes.map((one) => (one / 2 ** 20).toFixed(1)).join(', ')} MB`;

/** A conversation can hold 10,000 messages, so the messages are spread over several. */
const conversations = 10;

/** Calls for requests, messages and the dashboard in turn. */
async function everydayCalls(
  { database, user }: Environment,
  gateway: BenchProcess,
): Promise<readonly string[]> {
  const headers = { 'x-api-key': user.providerKey };
  const cookie = await signIn(gateway);
  const submit = httpText('POST', '/api/v1/help', { body: { apiKey: user.consumerKey, ...submission } });
  const host = `127.0.0.1:${gateway.port}`;
  const whoami = httpText('GET', '/api/me', { headers: { cookie, host } });

  const calls: string[] = [];
  for (let at = 0; at < conversations; at++) {
    const id = await writeConversation(database, user.userId, 10);
    const { signature, ...encrypted } = encryptedMessage();
    const body = { role: 'provider', encrypted, signature };
    const send = httpText('POST', `/api/v1/message/${id}`, { headers, body });
    const list = httpText('GET', `/api/v1/messages/${id}?limit=10`, { headers });
    const poll = httpText('GET', `/api/v1/help/${id}`, { headers });
    calls.push(submit, send, whoami, poll, list, whoami);
  }
  return calls;
}

async function signIn({ port }: BenchProcess): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/auth/dev`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user: 'bench' }),
    redirect: 'manual',
  });
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}
