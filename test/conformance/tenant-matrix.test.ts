import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Agent, Expert } from '../black-box/expert.ts';
import { keyExchange } from '../black-box/samples.ts';
import { subscribe } from '../black-box/subscribe.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { type Credential, endpointCall, newChannel, newWebhook, type ResourceIds } from './endpoint-call.ts';
import { type Endpoint, endpoints } from './endpoints.ts';

/** What a caller owns: the ids, and all texts that must not appear in responses to other callers. */
interface Resources {
  readonly ids: ResourceIds;
  readonly texts: readonly string[];
}

const setup = useRelay();
const tenants = ['alice', 'bob'] as const;
const callers = ['consumer', 'secondConsumer', 'provider', 'session'] as const;
type Caller = (typeof callers)[number];

const owned: Record<string, Resources> = {};

/** Creates a request with all kinds of content, whose texts appear nowhere else. */
async function createResourcesOf(expert: Expert, agent: Agent): Promise<Resources> {
  const unique = (what: string) => `${what}-${randomUUID()}`;
  const [question, context, plaintext, asked, answered] = [
    'question',
    'context',
    'plaintext',
    'asked',
    'answered',
  ].map(unique);
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
  const name = unique('key');
  const { keyId } = await expert.newKey('consumer', name);
  const sessionId = await expert.newSession();
  const webhookId = await newWebhook(expert, agent);
  const channelId = await newChannel(expert);
  const contents = [question, context, plaintext, asked, answered, name].map(String);
  return {
    ids: { requestId, refCode, keyId, sessionId, webhookId, channelId },
    texts: [
      ...contents,
      requestId,
      refCode,
      refCode.slice(3),
      keyId,
      sessionId,
      webhookId,
      channelId,
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
      owned[`${tenant}.${key}`] = await createResourcesOf(expert, expert[key]);
    }
    // What belongs to the user and not to one key.
    owned[tenant] = {
      ids: owned[`${tenant}.consumer`]?.ids as ResourceIds,
      texts: [expert.userId, expert.name, vault, expert.consumer.keyId, expert.provider.keyId],
    };
  }
  initialState = await snapshot();
});

const credentialOf = (expert: Expert, caller: Caller): Credential =>
  caller === 'session' ? { cookie: expert.session.headers.cookie ?? '' } : { key: expert[caller].key };

/** What a caller must not see: everything of the other tenant, and for a consumer key the requests of the other key. */
function foreignTo(tenant: (typeof tenants)[number], caller: Caller): Resources[] {
  const other = tenant === 'alice' ? 'bob' : 'alice';
  const names = [other, `${other}.consumer`, `${other}.secondConsumer`];
  if (caller === 'consumer') names.push(`${tenant}.secondConsumer`);
  if (caller === 'secondConsumer') names.push(`${tenant}.consumer`);
  return names.map((name) => owned[name] as Resources);
}

/** All resources as their owners see them. */
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
let initialState: Awaited<ReturnType<typeof snapshot>>;

/** Polling needs no key, and a cookie is ignored there: see lookups.test.ts. */
const isOpen = ({ auth }: Endpoint, caller: Caller) => auth === 'optional key' && caller === 'session';

const matrix = tenants.flatMap((tenant) => callers.map((caller) => ({ tenant, caller })));

describe.each(matrix)('the $caller of $tenant', ({ tenant, caller }) => {
  test.each(endpoints.filter((endpoint) => !isOpen(endpoint, caller)))(
    '$method $path with ids of others: the response contains nothing of them',
    async (endpoint) => {
      const as = caller === 'secondConsumer' ? 'consumer' : caller;
      const containsIds = /:(requestId|refCode|keyId|sessionId|webhookId|channelId)/.test(
        endpoint.path + JSON.stringify(endpoint.body?.(as) ?? ''),
      );
      for (const { ids, texts } of foreignTo(tenant, caller)) {
        const { status, text, headers } = await setup.relay.call(
          endpointCall(endpoint, ids, credentialOf(setup[tenant], caller), { as }),
        );
        if (containsIds) expect([401, 403, 404]).toContain(status);
        const response = text + JSON.stringify(headers);
        expect(texts.filter((one) => response.includes(one))).toEqual([]);
      }
    },
  );

  test('subscribing to topics of others: 403', async () => {
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
      expect((await subscribe(setup.relay.hubUrl, { topic }, headers)).response.status).toBe(403);
    }
  });
});

test('the calls above have changed nothing', async () => {
  expect(initialState).toHaveLength(6);
  expect(withoutLastUse(await snapshot())).toEqual(withoutLastUse(initialState));
});

/** The relay updates `lastUsedAt` some time after a call. */
const withoutLastUse = (views: typeof initialState) =>
  views.map(({ key, ...view }) => ({ ...view, key: { ...key, lastUsedAt: null } }));
