import { join } from 'node:path';
import type { Addresses } from '../../scripts/local/addresses.ts';
import { environmentFor, type localValues } from '../../scripts/local/environment.ts';
import { type ServiceEntry, serviceProgram, services } from '../../scripts/local/services.ts';
import type { Run } from '../../scripts/local/with-run.ts';
import { built } from './build-programs.ts';
import { type Controlled, controlled } from './controlled.ts';
import type { Stage } from './stage.ts';

/** What production sets, and limits that count every call and refuse none. */
const production = {
  NODE_ENV: 'production',
  RELAY_DEV_LOGIN: 'false',
  RELAY_RATE_LIMIT_PAGES: '1000000000',
  RELAY_RATE_LIMIT_API: '1000000000',
  RELAY_RATE_LIMIT_POLL: '1000000000',
};

/** Starts services from what was built for production, with the probe beside them. */
export function serviceStarter(
  { home, ports, supervisor }: Run,
  values: ReturnType<typeof localValues>,
  addresses: Addresses,
): Stage['service'] {
  return async (name, { as = name, env = {} } = {}): Promise<Controlled> => {
    const entry = services.find((one) => one.name === name) as ServiceEntry;
    const own = as === name ? addresses : { ...addresses, [name]: await anotherAddress(ports, as) };
    const { port = 0, opsUrl } = own[name];
    const socket = home.file(`${as}.sock`);
    const program = serviceProgram(entry, {
      home,
      env: { ...environmentFor(entry, values, own), ...production, ...env, BENCH_SOCKET: socket },
      opsUrl,
    });
    const args = ['--expose-gc', '--import', join(built, 'probe.js'), ...program.args];
    await supervisor.start({ ...program, name: as, args, logFile: home.log(as) });
    return controlled(as, port, socket);
  };
}

async function anotherAddress(ports: Run['ports'], name: string): Promise<Addresses[keyof Addresses]> {
  const [port, opsPort] = [await ports.choose(name), await ports.choose(`${name}-ops`)];
  return { port, opsPort, url: `http://127.0.0.1:${port}`, opsUrl: `http://127.0.0.1:${opsPort}` };
}
