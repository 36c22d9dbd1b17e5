import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startConstellation } from '@expert-relay/constellation';
import { eventually, openStream, reservePort, submit, topicUrl } from '@expert-relay/testkit';
import { expect } from '@jest/globals';
import { whyMissing } from '../../../../scripts/servers/find-tool.ts';
import { testUnless } from '../../../../scripts/testing/test-unless.ts';
import { compileCollector } from './compile-collector.ts';

const program =
  process.env.RELAY_TEST_COLLECTOR === 'true'
    ? await compileCollector()
    : { missing: 'RELAY_TEST_COLLECTOR is not true, and the collector takes ten minutes to compile' };

testUnless(whyMissing(program))(
  'the collector of OpenTelemetry receives the whole trace of a submit',
  async () => {
    await using collector = await startCollector('path' in program ? program.path : '');
    const relay = await startConstellation({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
    try {
      const { consumerKey, providerKey, userId } = await relay.makeTenant();
      const stream = await openStream(topicUrl(relay.hubUrl, `/svc/providers/${userId}`), {
        headers: { 'x-api-key': providerKey },
      });
      const { body } = await submit(relay.gatewayUrl, consumerKey);
      await stream.next({ refCode: body.refCode });
      await stream.close();
    } finally {
      await relay.stop();
    }
    const traceWithDelivery = () => {
      const spans = collector.spans();
      const delivery = spans.find(({ name }) => name === 'deliver new_request');
      return spans.filter(({ traceId }) => traceId === delivery?.traceId).map(({ name }) => name);
    };
    await eventually('the collector prints six spans', () => traceWithDelivery().length === 6);
    expect(traceWithDelivery().sort()).toEqual([
      'INSERT INTO idempotency_records, INSERT INTO help_requests, INSERT INTO outbox_events, INSERT INTO notification_facts',
      'POST /api/v1/help',
      'POST /api/v1/help',
      'SELECT FROM api_key_secrets',
      'deliver new_request',
      'publish new_request',
    ]);
  },
);

async function startCollector(path: string) {
  const port = await reservePort();
  const config = [
    `receivers::otlp::protocols::http::endpoint: 127.0.0.1:${port}`,
    'exporters::debug::verbosity: detailed',
    'service::telemetry::metrics::level: none',
    'service::pipelines::traces::receivers: [otlp]',
    'service::pipelines::traces::exporters: [debug]',
  ];
  const process = spawn(
    path,
    config.map((line) => `--config=yaml:${line}`),
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let text = '';
  for (const output of [process.stdout, process.stderr])
    output.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
  await eventually(
    () => `the collector is ready: ${text}`,
    () => text.includes('Everything is ready'),
  );
  return {
    url: `http://127.0.0.1:${port}`,
    /** What the debug exporter has printed. */
    spans: () =>
      [...text.matchAll(/Trace ID +: (\w+)[\s\S]*?Name +: (.+)/g)].map(([, traceId, name]) => ({
        traceId,
        name,
      })),
    async [Symbol.asyncDispose]() {
      process.kill();
      await once(process, 'exit');
    },
  };
}
