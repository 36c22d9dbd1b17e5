import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { eventually, reservePort } from '@expert-relay/testkit';
import { type ServiceName, serviceNames as services } from '../../scripts/local/services.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

type Settings = Record<string, Record<string, { secret: boolean }>>;
const settings: Settings = JSON.parse(readFileSync(`${root}/charts/expert-relay/settings.json`, 'utf8'));

/** The seven services as processes, each with the environment that the chart would give its pods. */
export interface Product extends AsyncDisposable {
  readonly gatewayUrl: string;
  readonly hubUrl: string;
  readonly urls: Readonly<Record<ServiceName, string>>;
  /** Starts a process with the current secret, and stops the old one when the new one is ready, as Kubernetes does. */
  roll(service: ServiceName): Promise<void>;
  /** Stops the process of a service. */
  end(service: ServiceName): Promise<void>;
  /** The text of /metrics of each service. */
  metrics(): Promise<Record<ServiceName, string>>;
}

interface Pod {
  readonly port: number;
  readonly opsUrl: string;
  readonly child: ChildProcess;
  log: string;
}

/** Kills the process when the test run ends, also if that is killed. */
const endWithParent = `data:text/javascript,${encodeURIComponent(
  "process.on('disconnect', () => process.kill(process.pid, 'SIGKILL')); process.channel?.unref();",
)}`;

export async function runProduct(options: {
  /** The content of the Secret, as charts/expert-relay/make-secrets.mjs makes it. It may change between rolls. */
  secret: Readonly<Record<string, string>>;
  /** Settings that are not secret, for the services that read them. */
  settings?: Readonly<Record<string, string>>;
}): Promise<Product> {
  const { secret } = options;
  const pods = new Map<ServiceName, Pod>();
  const proxies: Server[] = [];
  const urls = {} as Record<ServiceName, string>;
  for (const service of services) {
    const proxy = await openProxy(await reservePort(), () => pods.get(service)?.port);
    proxies.push(proxy.server);
    urls[service] = proxy.url;
  }
  const values: Record<string, string> = {
    NODE_ENV: 'development',
    RELAY_HOST: '127.0.0.1',
    RELAY_PUBLIC_URL: urls.gateway,
    RELAY_HUB_PUBLIC_URL: urls.hub,
    RELAY_REQUESTS_URL: urls.requests,
    RELAY_MESSAGES_URL: urls.messages,
    RELAY_DASHBOARD_URL: urls.dashboard,
    RELAY_NOTIFIER_URL: urls.notifier,
    // A busy machine may stall for longer than the default.
    RELAY_START_PATIENCE: '60s',
    RELAY_SHUTDOWN_PAUSE: '1s',
    RELAY_HUB_DRAIN_SPREAD: '1s',
    RELAY_DEV_LOGIN: 'true',
    ...options.settings,
  };

  function environmentOf(service: ServiceName): Record<string, string> {
    const entries = Object.entries(settings[service] ?? {}).map(([name, { secret: isSecret }]) => {
      const own = `${name}_${service.toUpperCase().replace('-', '_')}`;
      if (isSecret) return [name, secret[own] ?? secret[name]];
      return [name, values[name]];
    });
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  }

  async function start(service: ServiceName): Promise<Pod> {
    const [port, opsPort] = [await reservePort(), await reservePort()];
    const env = {
      PATH: process.env.PATH ?? '',
      ...environmentOf(service),
      NODE_ENV: 'development',
      RELAY_PORT: String(port),
      RELAY_OPS_PORT: String(opsPort),
    };
    const main = `${root}/services/${service}/dist/main.js`;
    const child = spawn(process.execPath, ['--import', endWithParent, main], {
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const pod: Pod = { port, opsUrl: `http://127.0.0.1:${opsPort}`, child, log: '' };
    for (const output of [child.stdout, child.stderr]) {
      output?.setEncoding('utf8').on('data', (text: string) => {
        pod.log = `${pod.log}${text}`.slice(-10_000);
      });
    }
    await eventually(
      `${service} to be ready`,
      async () => {
        if (child.exitCode !== null) throw new Error(`${service} ended:\n${pod.log}`);
        return await fetch(`${pod.opsUrl}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
      },
      { timeoutMs: 120_000 },
    );
    return pod;
  }

  async function stop({ child }: Pod): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }

  const product: Product = {
    gatewayUrl: urls.gateway,
    hubUrl: urls.hub,
    urls,
    async roll(service) {
      const old = pods.get(service);
      pods.set(service, await start(service));
      if (old) await stop(old);
    },
    async end(service) {
      const old = pods.get(service);
      pods.delete(service);
      if (old) await stop(old);
    },
    async metrics() {
      const texts = [...pods].map(
        async ([service, { opsUrl }]) => [service, await (await fetch(`${opsUrl}/metrics`)).text()] as const,
      );
      return Object.fromEntries(await Promise.all(texts)) as Record<ServiceName, string>;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...pods.keys()].map((service) => product.end(service)));
      for (const proxy of proxies) proxy.close();
    },
  };
  try {
    await Promise.all(services.map((service) => product.roll(service)));
  } catch (error) {
    await product[Symbol.asyncDispose]();
    throw error;
  }
  return product;
}

/** A TCP proxy that acts as a Service of Kubernetes: each new connection goes to the newest pod. */
async function openProxy(
  port: number,
  target: () => number | undefined,
): Promise<{ url: string; server: Server }> {
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ port: target() ?? 1, host: '127.0.0.1', allowHalfOpen: true });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.setNoDelay(true).pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => one.readableEnded || other.destroy());
    }
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${port}`, server };
}
