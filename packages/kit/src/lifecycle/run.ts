import { ConfigError, unknownSettings } from '../config/index.ts';
import { StartupError } from '../part/index.ts';
import type { Service } from './compose-service.ts';

interface Runnable {
  shutdownLimit: number;
}

/**
 * The whole life of a service's process: settings, start, a signal, stop. The only place that
 * ends a process. It reads only the names in the environment, never a value.
 */
export async function run<C>(
  readConfig: () => C & { process: Runnable },
  create: (config: C & { process: Runnable }) => Service,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  try {
    const config = readConfig();
    const service = create(config);
    for (const warning of unknownSettings(env)) service.log.warn(warning);
    endOnSignal(service, config.process.shutdownLimit);
    await service.start();
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof StartupError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

function endOnSignal(service: Service, limit: number): void {
  const end = async (signal: string) => {
    service.log.info({ signal }, 'asked to stop');
    setTimeout(() => {
      service.log.error({ limit }, 'did not stop within the limit: ending hard');
      process.exit(1);
    }, limit).unref();
    await service.stop();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void end(signal));
  process.on('uncaughtException', (error) => {
    service.log.fatal({ err: error }, 'unexpected error: ending');
    process.exit(1);
  });
}
