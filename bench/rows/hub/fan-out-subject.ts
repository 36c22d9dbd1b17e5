import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../../environment/environment.ts';
import type { BenchProcess } from '../../environment/processes.ts';
import type { Usage } from '../../programs/answer-commands.ts';
import { makeRequestId, openEventPublisher, pathOf } from './event-publisher.ts';

/** A server that delivers events to many readers, and the process of its readers. */
export interface FanOutSubject {
  readonly name: string;
  readonly readers: BenchProcess;
  readonly port: number;
  /** The path that a reader requests. */
  readonly path: string;
  usage(options?: { collectGarbage: boolean }): Promise<Usage>;
  /** Sends one event to all readers. */
  publish(): Promise<void>;
}

export async function ourHub(environment: Environment): Promise<FanOutSubject> {
  const prefix = 'fan-out';
  const publisher = await openEventPublisher(environment.natsUrl, prefix);
  const hub = await environment.service('hub', { as: 'hub-fan-out', env: { RELAY_NATS_PREFIX: prefix } });
  const requestId = makeRequestId();
  return {
    name: 'the hub',
    readers: await environment.program('subscribers', {}, 'subscribers-hub'),
    port: hub.port,
    path: pathOf(requestId),
    usage: (options) => hub.usage(options),
    publish: async () => publisher.publish(requestId),
  };
}

export async function bareHub(environment: Environment): Promise<FanOutSubject> {
  const hub = await environment.program('bare-hub');
  return {
    name: 'a bare Node hub',
    readers: await environment.program('subscribers', {}, 'subscribers-bare'),
    port: hub.port,
    path: '/',
    usage: () => hub.usage(),
    publish: postEvent(hub.port, '/'),
  };
}

export async function nchan(environment: Environment): Promise<FanOutSubject> {
  const server = await environment.nchan();
  const topic = makeRequestId();
  return {
    name: server.name,
    readers: await environment.program('subscribers', {}, 'subscribers-nchan'),
    port: server.port,
    path: `/listen?topic=${topic}`,
    usage: () => server.usage(),
    publish: postEvent(server.port, `/publish?topic=${topic}`),
  };
}

/** Gives a function that posts an event, with the JSON that the hub would send. */
function postEvent(port: number, path: string): () => Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return () =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ type: 'new_message', role: 'provider', messageId: crypto.randomUUID() });
      const headers = { 'content-length': body.length };
      const call = request({ port, path, method: 'POST', agent, headers, host: '127.0.0.1' }, (answer) => {
        answer.resume();
        answer.once('end', resolve);
      });
      call.once('error', reject);
      call.end(body);
    });
}

const timeoutMs = 30_000;

/** Opens streams. Returns the server's memory for each, in KB. */
export async function openReaders(subject: FanOutSubject, count: number): Promise<number> {
  const before = await subject.usage({ collectGarbage: true });
  await subject.readers.call('open', {
    port: subject.port,
    paths: Array(count).fill(subject.path),
    // The kernel may reset one of ten thousand connections that are opened within a moment.
    reconnect: true,
  });
  await pause(500);
  const after = await subject.usage({ collectGarbage: true });
  return (after.rss - before.rss) / count / 1_024;
}

/**
 * Publishes events, each after all readers have received the one before. Returns microseconds of CPU for a delivery.
 * `delivered` is the number of events that each reader has received before.
 */
export async function cpuPerDelivery(
  subject: FanOutSubject,
  { readers, events, delivered }: { readers: number; events: number; delivered: number },
): Promise<number> {
  await pause(100);
  const before = await subject.usage();
  for (let event = 1; event <= events; event++) {
    await subject.publish();
    await subject.readers.call('waitForEvents', { perStream: delivered + event, timeoutMs });
  }
  const after = await subject.usage();
  return (after.cpu - before.cpu) / (events * readers);
}
