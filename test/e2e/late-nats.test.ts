import { type Constellation, startConstellation, untilReady } from '@expert-relay/constellation';
import { openStream, submit, topicUrl } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { nats } from '../../scripts/servers/nats.ts';
import { type OwnServer, startOwnServer } from '../../scripts/servers/testing/start-own-server.ts';

let lateNats: OwnServer;
let relay: Constellation;

beforeAll(async () => {
  lateNats = await startOwnServer(nats);
  await lateNats.kill();
  relay = await startConstellation({ servers: { natsUrl: lateNats.url }, unready: ['hub'] });
});

afterAll(() => relay.stop());
afterAll(() => lateNats.stop());

test('services start without NATS and accept submits, whose events arrive after NATS has started', async () => {
  const { userId, consumerKey, providerKey } = await relay.makeTenant();
  const { status, body } = await submit(relay.gatewayUrl, consumerKey, { question: 'Too early?' });
  expect(status).toBe(201);

  await lateNats.start();
  await untilReady(relay.services.hub);
  const url = `${topicUrl(relay.hubUrl, `/svc/providers/${userId}`)}&lastEventId=earliest`;
  const stream = await openStream(url, { headers: { 'x-api-key': providerKey } });
  await stream.next({ type: 'new_request', refCode: body.refCode });
  await stream.close();
});
