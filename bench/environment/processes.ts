import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Addresses } from '../../scripts/local/addresses.ts';
import { environmentFor, type localValues } from '../../scripts/local/environment.ts';
import { root } from '../../scripts/local/home.ts';
import { type ServiceName, serviceProgram } from '../../scripts/local/services.ts';
import type { Run } from '../../scripts/local/with-run.ts';
import { StepError } from '../../scripts/terminal/failure.ts';
import type { Usage } from '../programs/answer-commands.ts';
import { built } from './build-programs.ts';

/** A process that reports its resource usage and runs commands of the bench. */
export interface BenchProcess {
  readonly name: string;
  /** Where it answers HTTP, if it does. */
  readonly port: number;
  usage(options?: { collectGarbage: boolean }): Promise<Usage>;
  call<T>(command: string, input?: unknown): Promise<T>;
}

/** Calls a process over the Unix socket on which it answers commands. */
function connectToProcess(name: string, port: number, socketPath: string): BenchProcess {
  function call<T>(command: string, input?: unknown): Promise<T> {
    return new Promise((resolve, reject) => {
      const outgoing = request({ socketPath, method: 'POST', path: `/${command}` }, async (response) => {
        const body = await text(response);
        if (response.statusCode === 200) resolve(JSON.parse(body));
        else reject(new StepError(`${name} failed during the run.`, { output: body.split('\n') }));
      });
      outgoing.once('error', reject);
      outgoing.end(input === undefined ? undefined : JSON.stringify(input));
    });
  }
  return { name, port, call, usage: (options) => call('usage', options) };
}

/** Starts the bench's own programs: the load, and the baselines. */
export function programStarter({ home, ports, supervisor }: Run, databaseUrl: string) {
  return async (name: string, env: NodeJS.ProcessEnv = {}, as = name): Promise<BenchProcess> => {
    const port = await ports.choose(as);
    const socket = home.file(`${as}.sock`);
    const program = connectToProcess(as, port, socket);
    await supervisor.start({
      name: as,
      tier: 1,
      command: process.execPath,
      args: [join(built, `${name}.js`)],
      env: {
        ...process.env,
        NODE_ENV: 'production',
        DATABASE_URL: databaseUrl,
        BENCH_SOCKET: socket,
        BENCH_PORT: String(port),
        ...env,
      },
      cwd: root,
      logFile: home.log(as),
      stopSignal: 'SIGTERM',
      notReady: () =>
        program.usage().then(
          () => undefined,
          (error: Error) => error.message,
        ),
    });
    return program;
  };
}

export interface ServiceOptions {
  /** Another name, for a second process of the same service. */
  as?: string;
  env?: NodeJS.ProcessEnv;
}

/** Production settings, with limits that count every call and refuse none. */
const production = {
  NODE_ENV: 'production',
  RELAY_DEV_LOGIN: 'false',
  RELAY_RATE_LIMIT_PAGES: '1000000000',
  RELAY_RATE_LIMIT_API: '1000000000',
  RELAY_RATE_LIMIT_POLL: '1000000000',
};

/** Starts services as built for production, with the probe loaded into them. */
export function serviceStarter(
  { home, ports, supervisor }: Run,
  values: ReturnType<typeof localValues>,
  addresses: Addresses,
) {
  return async (name: ServiceName, { as = name, env = {} }: ServiceOptions = {}): Promise<BenchProcess> => {
    const own = as === name ? addresses : { ...addresses, [name]: await chooseAnotherAddress(ports, as) };
    const { port = 0, opsUrl } = own[name];
    const socket = home.file(`${as}.sock`);
    const program = serviceProgram(name, {
      home,
      env: { ...environmentFor(name, values, own), ...production, ...env, BENCH_SOCKET: socket },
      opsUrl,
    });
    const args = ['--expose-gc', '--import', join(built, 'probe.js'), ...program.args];
    await supervisor.start({ ...program, name: as, args, logFile: home.log(as) });
    return connectToProcess(as, port, socket);
  };
}

async function chooseAnotherAddress(ports: Run['ports'], name: string): Promise<Addresses[keyof Addresses]> {
  const [port, opsPort] = [await ports.choose(name), await ports.choose(`${name}-ops`)];
  return { port, opsPort, url: `http://127.0.0.1:${port}`, opsUrl: `http://127.0.0.1:${opsPort}` };
}
