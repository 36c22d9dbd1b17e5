import { create as createDashboard } from '@expert-relay/dashboard';
import { readConfig as readDashboardConfig } from '@expert-relay/dashboard/config';
import { create as createExpiryWorker } from '@expert-relay/expiry-worker';
import { readConfig as readExpiryWorkerConfig } from '@expert-relay/expiry-worker/config';
import { create as createGateway } from '@expert-relay/gateway';
import { readConfig as readGatewayConfig } from '@expert-relay/gateway/config';
import { create as createHub } from '@expert-relay/hub';
import { readConfig as readHubConfig } from '@expert-relay/hub/config';
import type { Overrides, Service } from '@expert-relay/kit/lifecycle';
import { create as createMessages } from '@expert-relay/messages';
import { readConfig as readMessagesConfig } from '@expert-relay/messages/config';
import { create as createNotifier } from '@expert-relay/notifier';
import { readConfig as readNotifierConfig } from '@expert-relay/notifier/config';
import { create as createRequests } from '@expert-relay/requests';
import { readConfig as readRequestsConfig } from '@expert-relay/requests/config';
import type { ServiceName } from '../../scripts/local/services.ts';

export type OwnSettings = Readonly<Partial<Record<ServiceName, Readonly<Record<string, string>>>>>;

/** The services that other services and clients know only by their address. */
export type Restartable = 'gateway' | 'hub' | 'dashboard' | 'notifier';

export interface RestartOptions {
  readonly settings?: Readonly<Record<string, string>>;
  readonly whileStopped?: () => Promise<unknown>;
}

export interface RunningServices {
  readonly gatewayUrl: string;
  readonly hubUrl: string;
  readonly services: Readonly<Record<ServiceName, Service>>;
  /** Stops a service, runs `whileStopped`, and starts the service again at the same address, with these settings added. */
  restart(service: Restartable, options?: RestartOptions): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the seven services from their settings. A service starts after the services that it calls, because their ports
 * are only known then. Stops them in the reverse order.
 */
export async function startServices(
  env: Readonly<Record<string, string>>,
  overridesFor: (service: ServiceName) => Overrides,
  /** Settings of single services. */
  settings: OwnSettings = {},
): Promise<RunningServices> {
  const started: Service[] = [];
  const start = async <S extends Service>(service: S): Promise<S> => {
    started.push(service);
    await service.start();
    return service;
  };
  const stop = async () => {
    for (const service of started.reverse()) await service.stop();
  };

  try {
    const [requests, messages] = await Promise.all([
      start(createRequests(readRequestsConfig({ ...env, ...settings.requests }), overridesFor('requests'))),
      start(createMessages(readMessagesConfig({ ...env, ...settings.messages }), overridesFor('messages'))),
    ]);
    // `env` is last, because a test may replace these addresses.
    const inner = { RELAY_REQUESTS_URL: requests.url, RELAY_MESSAGES_URL: messages.url, ...env };
    const [hub, worker, notifier] = await Promise.all([
      start(createHub(readHubConfig({ ...inner, ...settings.hub }), overridesFor('hub'))),
      start(
        createExpiryWorker(
          readExpiryWorkerConfig({ ...inner, ...settings['expiry-worker'] }),
          overridesFor('expiry-worker'),
        ),
      ),
      start(createNotifier(readNotifierConfig({ ...inner, ...settings.notifier }), overridesFor('notifier'))),
    ]);
    const outer = { RELAY_NOTIFIER_URL: notifier.url, ...inner, RELAY_HUB_PUBLIC_URL: hub.url };
    const dashboard = await start(
      createDashboard(readDashboardConfig({ ...outer, ...settings.dashboard }), overridesFor('dashboard')),
    );
    const edge = {
      ...outer,
      RELAY_DASHBOARD_URL: dashboard.url,
      RELAY_PORT: new URL(env.RELAY_PUBLIC_URL ?? '').port,
      ...settings.gateway,
    };
    const gateway = await start(createGateway(readGatewayConfig(edge), overridesFor('gateway')));
    const services = { gateway, requests, messages, hub, 'expiry-worker': worker, dashboard, notifier };
    const { url: hubUrl } = hub;
    const create: Record<Restartable, (own: Readonly<Record<string, string>>) => Service> = {
      gateway: (own) => createGateway(readGatewayConfig({ ...edge, ...own }), overridesFor('gateway')),
      hub: (own) => createHub(readHubConfig({ ...inner, ...settings.hub, ...own }), overridesFor('hub')),
      dashboard: (own) =>
        createDashboard(
          readDashboardConfig({ ...outer, ...settings.dashboard, ...own }),
          overridesFor('dashboard'),
        ),
      notifier: (own) =>
        createNotifier(
          readNotifierConfig({ ...inner, ...settings.notifier, ...own }),
          overridesFor('notifier'),
        ),
    };
    const restart: RunningServices['restart'] = async (name, { settings: own = {}, whileStopped } = {}) => {
      const old: Service = services[name];
      const { port } = new URL((old as Service & { url: string }).url);
      await old.stop();
      started.splice(started.indexOf(old), 1);
      await whileStopped?.();
      Object.assign(services, { [name]: await start(create[name]({ RELAY_PORT: port, ...own })) });
    };
    return { gatewayUrl: gateway.url, hubUrl, services, restart, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
