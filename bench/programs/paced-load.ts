import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { answerCommands } from './answer-commands.ts';

interface Pace {
  readonly port: number;
  /** Sent in turn. */
  readonly calls: readonly { method: string; path: string; headers: Record<string, string>; body?: string }[];
  readonly perSecond: number;
  readonly seconds: number;
}

export interface Latencies {
  readonly calls: number;
  readonly failed: number;
  /** Milliseconds from the planned start of a call to its answer. */
  readonly median: number;
  readonly p99: number;
}

/** Makes calls at a steady rate. A slow answer does not delay later calls. */
async function runAtPace({ port, calls, perSecond, seconds }: Pace): Promise<Latencies> {
  const agent = new Agent({ keepAlive: true, maxSockets: 100, scheduling: 'fifo' });
  const count = Math.round(perSecond * seconds);
  const durations: number[] = [];
  const waiting: Promise<void>[] = [];
  let failed = 0;
  const begin = performance.now();
  for (let number = 0; number < count; number++) {
    const due = begin + (number * 1_000) / perSecond;
    const early = due - performance.now();
    if (early > 0) await pause(early);
    const call = calls[number % calls.length] as Pace['calls'][number];
    const answered = send(agent, port, call).then((ok) => {
      durations.push(performance.now() - due);
      if (!ok) failed++;
    });
    waiting.push(answered);
  }
  await Promise.all(waiting);
  agent.destroy();
  durations.sort((a, b) => a - b);
  const at = (share: number) => durations[Math.floor(durations.length * share)] ?? Number.NaN;
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

answerCommands({ run: runAtPace });
