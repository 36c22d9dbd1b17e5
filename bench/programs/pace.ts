import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

export interface Pace {
  readonly port: number;
  /** Sent in turn. */
  readonly calls: readonly { method: string; path: string; headers: Record<string, string>; body?: string }[];
  readonly perSecond: number;
  readonly seconds: number;
}

export interface Latencies {
  readonly calls: number;
  readonly failed: number;
  /** Milliseconds from the moment at which a call was due to its answer. */
  readonly median: number;
  readonly p99: number;
}

/** Calls at a steady pace, however long answers take: one that is slow holds no other back. */
export async function pace({ port, calls, perSecond, seconds }: Pace): Promise<Latencies> {
  const agent = new Agent({ keepAlive: true, maxSockets: 100, scheduling: 'fifo' });
  const count = Math.round(perSecond * seconds);
  const took: number[] = [];
  const waiting: Promise<void>[] = [];
  let failed = 0;
  const begin = performance.now();
  for (let number = 0; number < count; number++) {
    const due = begin + (number * 1_000) / perSecond;
    const early = due - performance.now();
    if (early > 0) await pause(early);
    const call = calls[number % calls.length] as Pace['calls'][number];
    const answered = send(agent, port, call).then((ok) => {
      took.push(performance.now() - due);
      if (!ok) failed++;
    });
    waiting.push(answered);
  }
  await Promise.all(waiting);
  agent.destroy();
  took.sort((a, b) => a - b);
  const at = (share: number) => took[Math.floor(took.length * share)] ?? Number.NaN;
  return { calls: count, failed, median: at(0.5), p99: at(0.99) };
}

function send(agent: Agent, port: number, { method, path, headers, body }: Pace['calls'][number]) {
  return new Promise<boolean>((resolve) => {
    const call = request({ agent, host: '127.0.0.1', port, method, path, headers }, (answer) => {
      answer.resume().once('end', () => resolve((answer.statusCode ?? 500) < 300));
    });
    call.once('error', () => resolve(false)).end(body);
  });
}
