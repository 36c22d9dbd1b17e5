import { randomBytes } from 'node:crypto';
import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { permissionsFor, subjectsFor } from '@expert-relay/contracts';
import { createLog } from '@expert-relay/kit/log';
import { createNats } from '@expert-relay/kit/nats';
import { eventually, openStream, submit, topicUrl } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type NatsWithUsers, startNatsWithUsers } from './testing/nats-with-users.ts';

/*
 * The whole product over a NATS that allows each service the subjects of docs/configuration.md, and no others.
 */

const prefix = `permitted-${randomBytes(4).toString('hex')}`;
const permissions = permissionsFor(prefix);
let nats: NatsWithUsers;
let relay: Constellation;

beforeAll(async () => {
  nats = await startNatsWithUsers(permissions);
  const users = Object.keys(permissions).map((service) => [service, { NATS_URL: nats.urlFor(service) }]);
  relay = await startConstellation({
    prefix,
    servers: { natsUrl: nats.urlFor('admin') },
    env: { RELAY_HUB_RING_EVENTS: '1' },
    own: Object.fromEntries(users),
  });
});
afterAll(() => relay?.stop());
afterAll(() => nats?.stop());

test('events arrive and resume, also after NATS was away, with the listed permissions', async () => {
  const { providerKey, consumerKey, userId } = await relay.makeTenant();
  const url = topicUrl(relay.hubUrl, `/svc/providers/${userId}`);
  const stream = await openStream(url, { headers: { 'x-api-key': providerKey } });
  const ask = (question: string) => submit(relay.gatewayUrl, consumerKey, { question });
  await ask('first');
  await ask('second');
  await stream.next({ question: 'second' });
  // The hub compares what it delivered with what the stream holds now.
  await nats.kill();
  await nats.start();
  await ask('third');
  await stream.next({ question: 'third' });
  await stream.close();

  const position = stream.events[0]?.id ?? '';
  const resumed = await openStream(url, { headers: { 'x-api-key': providerKey, 'last-event-id': position } });
  await resumed.next({ question: 'third' });
  await resumed.close();
  expect(nats.violations()).toEqual([]);
});

test('and no service may do more', async () => {
  const { stream, event } = subjectsFor(prefix);
  const log = createLog('test', { level: 'silent' });
  const attempts: [string, string][] = [
    ['hub', event('new_message')],
    ['hub', `$JS.API.STREAM.DELETE.${stream}`],
    ['messages', `$JS.API.STREAM.PURGE.${stream}`],
    ['gateway', event('credential_revoked')],
  ];
  for (const [user, subject] of attempts) {
    const client = createNats({ url: nats.urlFor(user), name: 'test', log });
    await client.start?.();
    await eventually('a connection', () => client.connected);
    client.connection?.publish(subject);
    await eventually(`a refusal of ${subject}`, () =>
      nats.violations().some((line) => line.includes(subject)),
    );
    await client.stop?.();
  }
});
