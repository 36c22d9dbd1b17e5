import { createRequire } from 'node:module';
import { expect, test } from '@jest/globals';
import { makeSecrets } from '../../../scripts/local/secrets.ts';
import { runService } from '../run-service.ts';

const probe = createRequire(import.meta.url).resolve('./print-loaded-packages.cjs');

// A service that finds no Postgres has started its tracing before, and stops.
test.each([
  // prom-client loads the API, which records nothing without the SDK.
  ['without a collector, the SDK of OpenTelemetry is not loaded', {}, /^loaded: @opentelemetry\/api$/m],
  [
    'with one, it is',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' },
    /^loaded: .*@opentelemetry\/sdk-trace/m,
  ],
])('%s', async (_, env, expected) => {
  const { code, errors } = await runService('messages', {
    ...makeSecrets().settings,
    // In quotes, since a path may contain spaces.
    NODE_OPTIONS: `--require "${probe}"`,
    DATABASE_URL: 'postgres://127.0.0.1:1/relay',
    NATS_URL: 'nats://127.0.0.1:1',
    RELAY_START_PATIENCE: '1ms',
    ...env,
  });
  expect(code).toBe(1);
  expect(errors).toMatch(expected);
});
