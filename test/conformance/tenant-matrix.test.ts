import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Agent, Expert } from '../black-box/expert.ts';
import { subscribe } from '../black-box/subscribe.ts';
import { keyExchange } from '../black-box/samples.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { endpointCall, type Credential, type ResourceIds } from './endpoint-call.ts';
import { type Endpoint, endpoints } from './endpoints.ts';

/** Everything that a party owns, and every text by which it would be known again elsewhere. */
interface Belongings {
  readonly ids: ResourceIds;
  readonly marks: readonly string[];
}

const setup = useRelay();
const tenants = ['alice', 'bob'] as const;
const callers = ['consumer', 'secondConsumer', 'provider', 'session'] as const;
type Caller = (typeof callers)[number];

const owned: Record<string, Belongings> = {};

/** A request in full bloom, made with one key, under texts that stand nowhere else. */
async function furnish(expert: Expert, agent: Agent): Promise<Belongings> {
  const mark = (what: string) => `${what}-${randomUUID()}`;
  const [question, context, plaintext, asked, answered] = [
    'question',
    'context',
    'plaintext',
    'asked',
    'answered',
  ].map(mark);
  const { requestId, refCode } = await agent.newRequest({
    question,
    plaintext,
    messages: [{ role: 'user', content: context }],
  });
  const keys = keyExchange();
  const messageId = randomUUID();
  await expert.provider.post(`/api/v1/key-exchange/${requestId}`, keys);
  await agent.post(`/api/v1/message/${requestId}`, { role: 'consumer', plaintext: asked, messageId });
  await expert.provider.post(`/api/v1/message/${requestId}`, { role: 'provider', plaintext: answered });
  const name = mark('key');
  const { keyId } = await expert.newKey('consumer', name);
  const sessionId = await expert.newSession();
  const texts = [question, context, plaintext, asked, answered, name].map(String);
  return {
    ids: { requestId, refCode, keyId, sessionId },
    marks: [
      ...texts,
      requestId,
      refCode,
      refCode.slice(3),
      keyId,
      sessionId,
      messageId,
      keys.providerEncryptPubKey.split('\n')[1] ?? '',
    ],
  };
}

beforeAll(async () => {
  for (const tenant of tenants) {
    const expert = setup[tenant];
    const vault = `vault-${randomUUID()}`;
    await expert.session.put('/api/vault', { vault });
    for (const key of ['consumer', 'secondConsumer'] as const) {
      const { ids, marks } = await furnish(expert, expert[key]);
      owned[`${tenant}.${key}`] = { ids, marks };
    }
    // What belongs to the user as a whole.
    owned[tenant] = {
      ids: owned[`${tenant}.consumer`]?.ids as ResourceIds,
      marks: [expert.userId, expert.name, vault, expert.consumer.keyId, expert.provider.keyId],
    };
  }
  atFirst = await snapshot();
});

const credentialOf = (expert: Expert, caller: Caller): Credential =>
  caller === 'session' ? { cookie: expert.session.headers.cookie ?? '' } : { key: expert[caller].key };

/** What is foreign to a caller: all of the other tenant, and to one consumer key what the other one made. */
function foreignTo(tenant: (typeof tenants)[number], caller: Caller): Belongings[] {
  const other = tenant === 'alice' ? 'bob' : 'alice';
  const names = [other, `${other}.consumer`, `${other}.secondConsumer`];
  if (caller === 'consumer') names.push(`${tenant}.secondConsumer`);
  if (caller === 'secondConsumer') names.push(`${tenant}.consumer`);
  return names.map((name) => owned[name] as Belongings);
}

/** All that was furnished, as its owner sees it. */
async function snapshot() {
  const views = [];
  for (const [name, { ids }] of Object.entries(owned)) {
    const { session } = setup[name.startsWith('alice') ? 'alice' : 'bob'];
    const { keys } = (await session.get('/api/keys')).json;
    views.push({
      conversation: (await session.get(`/api/requests/${ids.requestId}`)).text,
      key: keys.find(({ id }: { id: string }) => id === ids.keyId),
      vault: (await session.get('/api/vault')).text,
    });
  }
  return views;
}
let atFirst: Awaited<ReturnType<typeof snapshot>>;

/** Polling without a key is open to whoever holds an id, and a cookie is no key: see lookups.test.ts. */
const isOpen = ({ auth }: Endpoint, caller: Caller) => auth === 'optional key' && caller === 'session';

const matrix = tenants.flatMap((tenant) => callers.map((caller) => ({ tenant, caller })));

describe.each(matrix)('the $caller of $tenant', ({ tenant, caller }) => {
  test.each(endpoints.filter((endpoint) => !isOpen(endpoint, caller)))(
    'learns nothing of others by $method $path',
    async (endpoint) => {
      const as = caller === 'secondConsumer' ? 'consumer' : caller;
      const namesOthers = /:(requestId|refCode|keyId|sessionId)/.test(
        endpoint.path + JSON.stringify(endpoint.body?.(as) ?? ''),
      );
      for (const { ids, marks } of foreignTo(tenant, caller)) {
        const { status, text, headers } = await setup.relay.call(
          endpointCall(endpoint, ids, credentialOf(setup[tenant], caller), { as }),
        );
        if (namesOthers) expect([401, 403, 404]).toContain(status);
        const answer = text + JSON.stringify(headers);
        expect(marks.filter((mark) => answer.includes(mark))).toEqual([]);
      }
    },
  );

  test('hears nothing of others at the hub', async () => {
    const { userId, session } = setup[tenant];
    const credential = credentialOf(setup[tenant], caller);
    const headers: Record<string, string> =
      credential && 'key' in credential ? { 'x-api-key': credential.key } : {};
    if (caller === 'session') {
      const { token } = (await session.post('/api/stream-token', { topics: [`/svc/providers/${userId}`] }))
        .json;
      headers.authorization = `Bearer ${token}`;
    }
    const other = setup[tenant === 'alice' ? 'bob' : 'alice'];
    const topics = foreignTo(tenant, caller).map(({ ids }) => `/svc/requests/${ids.requestId}`);
    for (const topic of [
      ...topics,
      `/svc/providers/${other.userId}`,
      `/svc/providers/${other.userId}/activity`,
    ]) {
      expect((await subscribe(setup.relay.hubUrl, { topic }, headers)).status).toBe(403);
    }
  });
});

test('after all of that everything is as it was', async () => {
  const { length } = atFirst;
  expect(length).toBe(6);
  expect(withoutUse(await snapshot())).toEqual(withoutUse(atFirst));
});

/** When a key was last used changes behind the calls. */
const withoutUse = (views: typeof atFirst) =>
  views.map(({ key, ...view }) => ({ ...view, key: { ...key, lastUsedAt: null } }));
