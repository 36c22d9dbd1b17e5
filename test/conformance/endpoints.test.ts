import { beforeAll, describe, expect, test } from '@jest/globals';
import { comparableResponse } from '../black-box/comparable-response.ts';
import type { Expert } from '../black-box/expert.ts';
import { unknownKey } from '../black-box/key-text.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';
import {
  type Credential,
  createResources,
  credentialOf,
  endpointCall,
  type ResourceIds,
  unknownResources,
} from './endpoint-call.ts';
import { type CallerKind, callersOf, type Endpoint, endpoints } from './endpoints.ts';

const setup = useRelay();
const kinds: readonly CallerKind[] = ['consumer', 'provider', 'session', 'anonymous'];

/** What the calls of all tests name, unless they end it. */
let user: Expert;
let ids: ResourceIds;
let idsOfAlice: ResourceIds;
beforeAll(async () => {
  user = await setup.relay.signUp();
  ids = await createResources(user);
  idsOfAlice = await createResources(setup.alice);
  await user.provider.put('/api/v1/vault', { vault: { wrapped: 'q83v' } });
});

/** Whether an accepted call ends or replaces what it names, so that another call would not be accepted. */
const isFinal = ({ method, path }: Endpoint) =>
  method === 'DELETE' || (method !== 'GET' && /close|key-exchange|rotate|vault/.test(path));

describe.each(endpoints)('$method $path ($auth)', (endpoint) => {
  test.each(callersOf(endpoint).map((kind) => ({ kind })))(
    `called by $kind: ${endpoint.success}`,
    async ({ kind }) => {
      const isOwn = isFinal(endpoint);
      const caller = isOwn ? await setup.relay.signUp() : user;
      const target = isOwn ? await createResources(caller) : ids;
      const call = endpointCall(endpoint, target, credentialOf(caller, kind), { as: kind });
      expect((await setup.relay.call(call)).status).toBe(endpoint.success);
    },
  );

  if (endpoint.auth !== 'none') {
    test('called by another kind of caller, or with a bad credential: 401', async () => {
      const responses: Record<string, number> = {};
      for (const [name, credential] of Object.entries(badCredentials(endpoint))) {
        responses[name] = (await setup.relay.call(endpointCall(endpoint, idsOfAlice, credential))).status;
      }
      expect(responses).toEqual(Object.fromEntries(Object.keys(responses).map((name) => [name, 401])));
    });
  }

  if (/:(requestId|refCode|keyId|sessionId|webhookId|channelId)/.test(endpoint.path)) {
    test(row('decisions', 'unknown or foreign request'), async () => {
      for (const kind of callersOf(endpoint).filter((kind) => kind !== 'anonymous')) {
        const call = (target: ResourceIds) =>
          setup.relay.call(endpointCall(endpoint, target, credentialOf(setup.bob, kind), { as: kind }));
        const unknown = await call(unknownResources());
        expect(unknown.status).toBe(404);
        expect(comparableResponse(await call(idsOfAlice))).toEqual(comparableResponse(unknown));
        // A malformed id gets the same response.
        const malformed = await call({
          ...idsOfAlice,
          requestId: 'x',
          refCode: 'x',
          keyId: 'x',
          sessionId: 'x',
          webhookId: 'x',
          channelId: 'x',
        });
        expect(comparableResponse(malformed)).toEqual(comparableResponse(unknown));
      }
    });
  }

  test('called with another method: 405, and the Allow header lists the methods', async () => {
    const path = endpointCall(endpoint, unknownResources(), undefined).path;
    const allowed = endpoints.filter((other) => other.path === endpoint.path).map(({ method }) => method);
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'].filter(
      (name) => !allowed.some((one) => one === name),
    )) {
      const response = await setup.relay.call({ method, path });
      expect(response.status).toBe(405);
      expect(response.headers.allow?.split(', ')).toEqual(expect.arrayContaining([...allowed, 'OPTIONS']));
    }
  });
});

/** Credentials that an endpoint must refuse. */
function badCredentials(endpoint: Endpoint): Record<string, Credential> {
  const { consumer, provider } = setup.alice;
  const accepted = callersOf(endpoint);
  // An endpoint with an optional key ignores cookies.
  const cookieCounts = endpoint.auth !== 'optional key';
  const others = kinds.filter((kind) => !accepted.includes(kind) && (kind !== 'session' || cookieCounts));
  // A submit without its key has a missing field, which is 400: see submit.test.ts.
  const inBody = endpoint.auth === 'key in body';
  const known = accepted[0] === 'provider' ? provider.key : consumer.key;
  return {
    ...Object.fromEntries(
      others
        .filter((kind) => !inBody || kind === 'provider')
        .map((kind) => [kind, credentialOf(setup.alice, kind)]),
    ),
    'an empty key': { key: '' },
    'a key that is only a prefix': { key: 'hs_' },
    "another service's key": { key: 'sk_live_0123456789abcdefghijABCDEFGHIJ0123456789' },
    'a mistyped key': { key: known.slice(0, -1) + (known.endsWith('x') ? 'y' : 'x') },
    'a key with an extra character': { key: `${known}x` },
    'an unknown consumer key': { key: unknownKey('hs_') },
    'an unknown provider key': { key: unknownKey('hs_prov_') },
    ...(!inBody &&
      cookieCounts && { 'an invented cookie': { cookie: 'relay_session=s%3Ainvented.signature' } }),
  };
}
