import { setTimeout as pause } from 'node:timers/promises';
import type { Counts } from '../../programs/open-streams.ts';
import type { Row } from '../row.ts';
import { makeRequestId, openEventPublisher, pathOf } from './event-publisher.ts';

const streams = 10_000;
const topics = 1_000;
const perSecond = 100;
const seconds = 60;

/** Ten thousand streams of one process for a minute: no stream ends, and none misses an event. */
export const hold: Row = {
  name: 'hold',
  onlyByName: true,
  async measure(environment, { progress }) {
    const prefix = 'hold';
    const publisher = await openEventPublisher(environment.natsUrl, prefix);
    const hub = await environment.service('hub', { as: 'hub-hold', env: { RELAY_NATS_PREFIX: prefix } });
    const readers = await environment.program('subscribers');
    const ids = Array.from({ length: topics }, makeRequestId);
    progress(`${streams} streams`);
    const paths = Array.from({ length: streams }, (_, n) => pathOf(ids[n % topics] ?? ''));
    await readers.call('open', { port: hub.port, paths });

    const before = await hub.usage({ collectGarbage: true });
    const began = performance.now();
    let sent = 0;
    for (let second = 0; second < seconds; second++) {
      progress(`${second} of ${seconds} s`);
      for (let tick = 1; tick <= 10; tick++) {
        for (let n = 0; n < perSecond / 10; n++) publisher.publish(ids[sent++ % topics] ?? '');
        await pause(Math.max(0, began + second * 1_000 + tick * 100 - performance.now()));
      }
    }
    const rounds = sent / topics;
    const counts = await readers.call<Counts>('waitForEvents', {
      perStream: Math.floor(rounds),
      timeoutMs: 5_000,
    });
    const took = (performance.now() - began) / 1_000;
    const after = await hub.usage({ collectGarbage: true });
    await readers.call('close');
    await publisher.close();

    const expected = sent * (streams / topics);
    const isComplete = counts.open === streams && counts.events === expected;
    return [
      {
        title: `hold: ${streams.toLocaleString('en')} streams for ${seconds} s, ${perSecond} events/s`,
        note: `${counts.open} still open, ${counts.events} of ${expected} deliveries: ${isComplete ? 'met' : 'MISSED'}`,
      },
      {
        title: '  the hub during that time',
        note:
          `${(((after.cpu - before.cpu) / 1e6 / took) * 100).toFixed(0)} % of a core, ` +
          `resident ${megabytes(before.rss)} -> ${megabytes(after.rss)}`,
      },
    ];
  },
};

const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MB`;
