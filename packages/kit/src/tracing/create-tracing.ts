import type { TracingSettings } from '../config/index.ts';
import type { Log } from '../log/index.ts';
import type { NewSpan, OpenSpan, Tracing } from './span.ts';

/** For code that runs without a service, such as a test of one part. */
export const noTracing: Tracing = {
  name: 'tracing',
  isOn: false,
  followsCallers: true,
  startSpan: () => undefined,
};

/**
 * Sends the spans of a service to an OpenTelemetry collector. Without the setting of its address, the packages of OpenTelemetry
 * are not loaded.
 */
export function createTracing(service: string, options: { settings: TracingSettings; log: Log }): Tracing {
  const { settings, log } = options;
  const { endpoint } = settings;
  if (endpoint === undefined) return noTracing;
  let recorder: { startSpan(span: NewSpan): OpenSpan; stop(): Promise<void> } | undefined;

  return {
    name: 'tracing',
    isOn: true,
    followsCallers: settings.sampler.startsWith('parentbased_'),
    startSpan: (span) => recorder?.startSpan(span),
    async start() {
      const { createRecorder } = await import('./open-telemetry.ts');
      recorder = createRecorder(service, { ...settings, endpoint, log });
    },
    stop: async () => recorder?.stop(),
  };
}
