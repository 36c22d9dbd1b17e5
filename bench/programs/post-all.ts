import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createResponseReader } from './response-reader.ts';

export interface Posted {
  /** Milliseconds from the planned start of a request to its answer, and to its event on the stream; each sorted. */
  readonly answered: readonly number[];
  readonly arrived: readonly number[];
  readonly lost: number;
  readonly failed: number;
}

export interface PostPlan {
  readonly port: number;
  /** Whole HTTP requests, and the message id in the event of each. */
  readonly requests: readonly { readonly text: string; readonly id: string }[];
  readonly perSecond: number;
}

const connections = 32;
/** How long to wait for missing events. */
const timeoutMs = 5_000;

/** Sends requests at a steady rate. The time that a request waits for a free connection counts. */
export async function postAll(
  { port, requests, perSecond }: PostPlan,
  arrivals: ReadonlyMap<string, number>,
): Promise<Posted> {
  const sentAt: number[] = [];
  const answered: number[] = [];
  let failed = 0;
  let started = 0;
  const idle: ((at: number) => void)[] = [];
  const waiting: number[] = [];
  const sockets = await Promise.all(Array.from({ length: connections }, openConnection));

  function openConnection() {
    return new Promise<{ destroy(): void }>((resolve, reject) => {
      let current = 0;
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      const send = (at: number) => {
        current = at;
        socket.write(requests[at]?.text ?? '');
      };
      const read = createResponseReader((status) => {
        answered.push(performance.now() - (sentAt[current] ?? 0));
        if (status !== 201) failed++;
        const next = waiting.shift();
        if (next === undefined) idle.push(send);
        else send(next);
      });
      socket.on('data', read);
      socket.once('error', reject);
      socket.once('connect', () => {
        idle.push(send);
        resolve(socket);
      });
    });
  }

  const began = performance.now();
  while (started < requests.length) {
    const due = Math.min(requests.length, Math.floor(((performance.now() - began) / 1_000) * perSecond) + 1);
    for (; started < due; started++) {
      sentAt[started] = performance.now();
      const send = idle.shift();
      if (send) send(started);
      else waiting.push(started);
    }
    await pause(1);
  }
  const deadline = performance.now() + timeoutMs;
  const isComplete = () =>
    answered.length === requests.length && requests.every(({ id }) => arrivals.has(id));
  while (!isComplete() && performance.now() < deadline) await pause(20);
  for (const socket of sockets) socket.destroy();

  const arrived = requests.flatMap(({ id }, at) => {
    const time = arrivals.get(id);
    return time === undefined ? [] : [time - (sentAt[at] ?? 0)];
  });
  const sorted = (times: number[]) => times.sort((a, b) => a - b);
  const lost = requests.length - arrived.length;
  return { answered: sorted(answered), arrived: sorted(arrived), lost, failed };
}
