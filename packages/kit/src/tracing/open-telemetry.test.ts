import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { captureLogs, eventually } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import { createRecorder } from './open-telemetry.ts';

const spansOfBatch = 512;

test('a collector that refuses spans is logged once, and again after it has accepted some', async () => {
  let batches = 0;
  const collector = createServer((request, response) => {
    batches++;
    request.resume();
    response.shouldKeepAlive = false;
    response.writeHead(batches === 3 ? 200 : 400).end();
  });
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  const { port } = collector.address() as AddressInfo;
  const logs = captureLogs();
  const recorder = createRecorder('kit', {
    endpoint: `http://127.0.0.1:${port}`,
    headers: [],
    sampler: 'always_on',
    ratio: '1',
    resource: [],
    log: logs.logOf('kit'),
  });
  for (let batch = 1; batch <= 4; batch++) {
    for (let count = 0; count < spansOfBatch; count++)
      recorder.startSpan({ name: 'work', kind: 'server' }).end();
    await eventually(`the collector gets batch ${batch}`, () => batches === batch);
  }
  await eventually('the refusal of the last batch is logged', () => logs.lines.length > 1);
  await recorder.stop();
  collector.close();
  expect(logs.lines.map(({ msg }) => msg)).toEqual(
    Array(2).fill('the collector accepts no spans: they are dropped'),
  );
});
