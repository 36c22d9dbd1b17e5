// node --import tsx test/faults/chaos/attack/program.ts
//
// The attackers. They are a separate process of low priority, so that they do not disturb the time measurements of the
// honest clients. The parent process sends commands, and this process ends with it.
import { setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Knowledge, Port } from './connection.ts';
import { drawConnection } from './draw-connection.ts';
import { runConnection } from './run-connection.ts';

/** An attack. */
export interface Assignment {
  readonly seed: number;
  /** The connections from `from` to `to` (exclusive), or only those of `only`. */
  readonly from: number;
  readonly to: number;
  readonly only?: readonly number[];
  readonly perSecond: number;
  /** Open at once, at most. */
  readonly atOnce: number;
  readonly ports: Readonly<Record<Port, number>>;
}

export type Command =
  | { readonly command: 'set knowledge'; readonly knowledge: Knowledge }
  | { readonly command: 'begin'; readonly assignment: Assignment }
  | { readonly command: 'report recent' }
  | { readonly command: 'stop' };

/** A connection that began shortly before. It may be the cause if a process ends now. */
export interface Recent {
  readonly index: number;
  readonly to: Port;
  readonly title: string;
  readonly beganAt: number;
  endedAt?: number;
}

export type Report =
  | { readonly report: 'ready' }
  | { readonly report: 'progress'; readonly started: number; readonly open: number }
  | { readonly report: 'recent'; readonly recent: readonly Recent[] }
  | {
      readonly report: 'done';
      readonly started: number;
      readonly seconds: number;
      readonly outcomes: Readonly<Record<string, number>>;
    };

const recentMs = 2_000;
const tickMs = 10;

let knowledge: Knowledge | undefined;
let stopped = false;
let recent: Recent[] = [];

setPriority(15);
process.on('disconnect', () => process.exit());
process.on('message', (message: Command) => {
  if (message.command === 'set knowledge') knowledge = message.knowledge;
  if (message.command === 'report recent') send({ report: 'recent', recent });
  if (message.command === 'stop') stopped = true;
  if (message.command === 'begin') void attack(message.assignment);
});
send({ report: 'ready' });

function send(report: Report): void {
  process.send?.(report);
}

async function attack({ seed, from, to, only, perSecond, atOnce, ports }: Assignment): Promise<void> {
  const indices = only ?? Array.from({ length: to - from }, (_, offset) => from + offset);
  const outcomes: Record<string, number> = {};
  const open = new Set<Promise<void>>();
  let started = 0;
  stopped = false;

  async function begin(index: number): Promise<void> {
    const connection = drawConnection(seed, index, knowledge as Knowledge);
    const entry: Recent = {
      index,
      to: connection.to,
      title: connection.title.slice(0, 200),
      beganAt: Date.now(),
    };
    recent.push(entry);
    const outcome = await runConnection(connection, ports);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    entry.endedAt = Date.now();
  }

  const progress = setInterval(() => {
    const oldest = Date.now() - recentMs;
    recent = recent.filter(({ endedAt }) => endedAt === undefined || endedAt > oldest);
    send({ report: 'progress', started, open: open.size });
  }, 250);
  const start = performance.now();
  let due = 0;
  for (let last = start; started < indices.length && !stopped; ) {
    const now = performance.now();
    // Connections that could not begin because too many were open are not made up for: that would be a burst.
    due = Math.min(due + ((now - last) / 1_000) * perSecond, perSecond / 10);
    last = now;
    while (due >= 1 && open.size < atOnce && started < indices.length) {
      due -= 1;
      const run = begin(indices[started++] as number);
      open.add(run);
      void run.finally(() => open.delete(run));
    }
    await pause(tickMs);
  }
  const seconds = (performance.now() - start) / 1_000;
  await Promise.all(open);
  clearInterval(progress);
  send({ report: 'done', started, seconds, outcomes });
}
