import { Agent, request } from 'node:http';
import type { Usage } from '../../programs/read-usage.ts';
import type { Controlled } from '../../stage/controlled.ts';
import type { Stage } from '../../stage/stage.ts';
import { makeRequestId, pathOf } from './make-request-id.ts';
import { type Announcer, openAnnouncer } from './open-announcer.ts';

/** Something that passes events on to many, with the readers that listen to it in a process of their own. */
export interface FanOutSubject {
  readonly name: string;
  readonly readers: Controlled;
  readonly port: number;
  /** What one reader asks for. */
  readonly path: string;
  /** `settled` collects garbage first, where there is any: not while CPU time is taken. */
  usage(options?: { settled: boolean }): Promise<Usage>;
  /** Sends one event to all readers. */
  publish(): Promise<void>;
}

export async function ourHub(stage: Stage): Promise<FanOutSubject & { announcer: Announcer }> {
  const prefix = 'fan-out';
  const announcer = await openAnnouncer(stage.natsUrl, prefix);
  const hub = await stage.service('hub', { as: 'hub-fan-out', env: { RELAY_NATS_PREFIX: prefix } });
  const requestId = makeRequestId();
  return {
    name: 'the hub',
    readers: await stage.program('subscribers', {}, 'subscribers-hub'),
    port: hub.port,
    path: pathOf(requestId),
    usage: (options) => hub.usage(options),
    publish: async () => announcer.announce(requestId),
    announcer,
  };
}

export async function bareHub(stage: Stage): Promise<FanOutSubject> {
  const hub = await stage.program('bare-hub');
  return {
    name: 'a bare Node hub',
    readers: await stage.program('subscribers', {}, 'subscribers-bare'),
    port: hub.port,
    path: '/',
    usage: () => hub.usage(),
    publish: poster(hub.port, '/'),
  };
}

export async function nchan(stage: Stage): Promise<FanOutSubject> {
  const server = await stage.nchan();
  const topic = makeRequestId();
  return {
    name: server.name,
    readers: await stage.program('subscribers', {}, 'subscribers-nchan'),
    port: server.port,
    path: `/listen?topic=${topic}`,
    usage: () => server.usage(),
    publish: poster(server.port, `/publish?topic=${topic}`),
  };
}

/** The same JSON that the hub makes of an event. */
function poster(port: number, path: string): () => Promise<void> {
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
