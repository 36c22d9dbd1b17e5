import { ConfigError, unknownSettings } from '../config/index.ts';
import { StartupError } from '../part/index.ts';
import type { Service } from './compose-service.ts';

interface Runnable {
  shutdownLimit: number;
}

/**
 * Runs a service's process: reads the settings, starts the service, and stops it at a signal. No other code ends a
 * process. From the environment it reads only names, for warnings about unknown ones.
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
    void service.refused.then(async (error) => {
      await service.stop();
      endWith(error);
    });
    await service.start();
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof StartupError)) throw error;
    endWith(error);
  }
}

function endWith({ message }: Error): void {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function endOnSignal(service: Service, limit: number): void {
  const end = async (signal: string) => {
    service.log.info({ signal }, 'received a signal to stop');
    setTimeout(() => {
      service.log.error({ limit }, 'the service did not stop within the limit: the process ends now');
      process.exit(1);
    }, limit).unref();
    await service.stop();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void end(signal));
  process.on('uncaughtException', (error) => {
    service.log.fatal({ err: error }, 'unexpected error: the process ends now');
    process.exit(1);
  });
}
