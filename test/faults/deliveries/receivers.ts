import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Run } from '../../../scripts/local/with-run.ts';
import type { Network } from '../environment/network.ts';
import type { Processes } from '../environment/processes.ts';
import { pair, type ReceiverName, receiverKinds } from '../environment/topology.ts';

/** A delivery that a receiver has stored. */
export interface Receipt {
  /** The id of a webhook's delivery, the topic of a push, or the id of an email. */
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
}

/** A process that receives what the notifier sends, behind a proxy. */
export interface Receiver {
  readonly url: string;
  receipts(): readonly Receipt[];
}

export type Receivers = Readonly<Record<ReceiverName, Receiver>>;

const program = fileURLToPath(new URL('receiver.mjs', import.meta.url));

export async function openReceivers(options: {
  run: Run;
  network: Network;
  processes: Processes;
}): Promise<Receivers> {
  const { run, network, processes } = options;

  async function openOne(name: string, kind: string): Promise<Receiver> {
    const port = await run.ports.choose(name);
    const file = run.home.file(`${name}.jsonl`);
    await processes.supervisor.start({
      name,
      tier: 1,
      command: process.execPath,
      args: [program, kind, String(port), file],
      env: { PATH: process.env.PATH },
      cwd: run.home.path,
      logFile: run.home.log(name),
      stopSignal: 'SIGTERM',
      notReady: () => whyNotReachable(port),
    });
    return {
      url: await network.addProxy(
        pair('notifier', name),
        `${kind === 'email' ? 'smtp' : 'http'}://127.0.0.1:${port}`,
      ),
      receipts() {
        const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
        // A receiver that was killed may have written a part of a line.
        return lines.flatMap((line) => readLine(line) ?? []);
      },
    };
  }

  const opened = Object.entries(receiverKinds).map(
    async ([name, kind]) => [name, await openOne(name, kind)] as const,
  );
  return Object.fromEntries(await Promise.all(opened)) as Receivers;
}

function whyNotReachable(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(undefined));
    socket.on('error', ({ message }) => resolve(message));
    socket.on('connect', () => socket.destroy());
  });
}

function readLine(line: string): Receipt | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
