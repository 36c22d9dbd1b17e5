import type { Environment } from '../../environment/environment.ts';
import { type Spread, spreadOf } from '../../measure/spread.ts';
import type { Counts } from '../../programs/open-streams.ts';
import type { Row } from '../row.ts';
import { connectNats, makeRequestId, openEventPublisher, pathOf } from './event-publisher.ts';

const events = 200_000;
const readers = 1_000;
const goal = 5;
const timeoutMs = 60_000;

/**
 * A hub starts while a thousand readers request all missed events of their own topics: the worst case, in which the hub
 * must read and deliver every event of the stream.
 */
export const resume: Row = {
  name: 'resume',
  onlyByName: true,
  async measure(environment, { progress, rounds }) {
    const prefix = 'resume';
    const publisher = await openEventPublisher(environment.natsUrl, prefix);
    const ids = Array.from({ length: readers }, makeRequestId);
    progress(`${events.toLocaleString('en')} events`);
    // All readers resume from the position of this event.
    await publisher.publishMany([makeRequestId()], 1);
    await publisher.publishMany(ids, events);
    const lastEventId = await publisher.firstPosition();
    const program = await environment.program('subscribers');

    const bare: number[] = [];
    const caughtUp: number[] = [];
    const sinceReady: number[] = [];
    const hubCpu: number[] = [];
    const readersCpu: number[] = [];
    for (let round = 1; round <= Math.min(rounds, 5); round++) {
      progress(`round ${round}: a bare reader`);
      bare.push(await readBare(environment, 'RESUME_EVENTS'));
      progress(`round ${round}: the hub`);
      const began = performance.now();
      const hub = await environment.service('hub', {
        as: `hub-resume-${round}`,
        env: { RELAY_NATS_PREFIX: prefix },
      });
      const ready = performance.now();
      const before = [await hub.usage(), await program.usage()] as const;
      await program.call('open', { port: hub.port, paths: ids.map(pathOf), lastEventId, reconnect: true });
      const counts = await program.call<Counts>('waitForEvents', {
        perStream: events / readers,
        timeoutMs,
      });
      if (counts.events !== events) throw new Error(`${counts.events} of ${events} events arrived`);
      caughtUp.push((performance.now() - began) / 1_000);
      sinceReady.push((performance.now() - ready) / 1_000);
      hubCpu.push(((await hub.usage()).cpu - before[0].cpu) / 1e6);
      readersCpu.push(((await program.usage()).cpu - before[1].cpu) / 1e6);
      await program.call('close');
    }
    await publisher.close();
    const [total, own, base] = [spreadOf(caughtUp), spreadOf(sinceReady), spreadOf(bare)];
    return [
      {
        title: `resume: ${readers} readers, ${events.toLocaleString('en')} events, all caught up`,
        note: `${formatSeconds(own)} after the hub was ready; goal <= ${goal} s: ${own.median <= goal ? 'met' : 'MISSED'}`,
      },
      { title: '  after its process was started', note: formatSeconds(total) },
      {
        title: '  CPU since it was ready',
        note: `the hub ${formatSeconds(spreadOf(hubCpu))}, the readers ${formatSeconds(spreadOf(readersCpu))}`,
      },
      { title: '  a bare nats.js consumer reads the stream', note: formatSeconds(base) },
    ];
  },
};

const formatSeconds = ({ median, min, max }: Spread): string =>
  `${median.toFixed(1)} s (${min.toFixed(1)}-${max.toFixed(1)})`;

/** Seconds that the client library takes to read the same events. */
async function readBare(environment: Environment, stream: string): Promise<number> {
  const { connection, close } = await connectNats(environment.natsUrl);
  const began = performance.now();
  const consumer = await connection.jetstream().consumers.get(stream);
  let left = events + 1;
  for await (const _ of await consumer.consume({ max_messages: 1_000 })) if (--left === 0) break;
  const seconds = (performance.now() - began) / 1_000;
  await close();
  return seconds;
}
