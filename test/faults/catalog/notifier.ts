import { receiverNames } from '../environment/topology.ts';
import type { Random } from '../plan/random.ts';
import { type Fault, seconds } from './fault.ts';

const notifiers = ['notifier-1', 'notifier-2'];

/** One of them reads the events, and both deliver: so one is hit, or both. */
const drawNotifiers = (random: Random): readonly string[] =>
  random.pick([...notifiers.map((name) => [name]), notifiers]);

export const notifierKilled: Fault = {
  affects: 'notifier',
  combines: true,
  draw(random) {
    const at = random.integer(1_500, 6_000);
    const names = drawNotifiers(random);
    const downMs = random.pick([0, 3_000]);
    return {
      title: `${names.join(' and ')} killed while sending${downMs === 0 ? '' : `, back after ${seconds(downMs)}`}`,
      async inject({ timeline, processes, channels }) {
        await timeline.waitUntil(at);
        await channels.untilSending();
        await Promise.all(names.map(processes.takeDown));
        await timeline.waitUntil(at + downMs);
        await Promise.all(names.map(processes.bringBack));
      },
    };
  },
};

/** Twelve seconds are longer than a process holds the cursor: the other one reads, and the frozen one must notice. */
export const notifierFrozen: Fault = {
  affects: 'notifier',
  combines: true,
  draw(random) {
    const at = random.integer(1_500, 4_000);
    const names = drawNotifiers(random);
    const durationMs = random.pick([3_000, 12_000]);
    return {
      title: `${names.join(' and ')} frozen for ${seconds(durationMs)}`,
      async inject({ timeline, processes }) {
        await timeline.waitUntil(at);
        for (const name of names) processes.freeze(name);
        await timeline.waitUntil(at + durationMs);
        for (const name of names) processes.unfreeze(name);
      },
    };
  },
};

export const receiverKilled: Fault = {
  affects: 'receiver',
  combines: true,
  draw(random) {
    const at = random.integer(1_500, 5_000);
    const name = random.pick(receiverNames);
    const downMs = random.pick([0, 2_000, 6_000]);
    return {
      title: downMs === 0 ? `${name} killed` : `${name} killed, back after ${seconds(downMs)}`,
      async inject({ timeline, processes }) {
        await timeline.waitUntil(at);
        await processes.takeDown(name);
        await timeline.waitUntil(at + downMs);
        await processes.bringBack(name);
      },
    };
  },
};

/** Attempts are given up after ten seconds. */
export const receiverFrozen: Fault = {
  affects: 'receiver',
  combines: true,
  draw(random) {
    const at = random.integer(1_500, 4_000);
    const name = random.pick(receiverNames);
    const durationMs = random.pick([3_000, 12_000]);
    return {
      title: `${name} frozen for ${seconds(durationMs)}`,
      async inject({ timeline, processes }) {
        await timeline.waitUntil(at);
        processes.freeze(name);
        await timeline.waitUntil(at + durationMs);
        processes.unfreeze(name);
      },
    };
  },
};
