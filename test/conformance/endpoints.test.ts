import { describe, expect, test } from '@jest/globals';
import { unknownKey } from '../black-box/key-text.ts';
import { comparableAnswer } from '../black-box/comparable-answer.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { endpointCall, type Credential, credentialOf, createResources, unknownResources } from './endpoint-call.ts';
import { row } from './contract.ts';
import { type CallerKind, callersOf, type Endpoint, endpoints } from './endpoints.ts';

const setup = useRelay();
const kinds: readonly CallerKind[] = ['consumer', 'provider', 'session', 'anonymous'];

describe.each(endpoints)('$method $path ($auth)', (endpoint) => {
  test.each(callersOf(endpoint).map((kind) => ({ kind })))(
    `serves $kind with ${endpoint.success}`,
    async ({ kind }) => {
      const user = await setup.relay.signUp();
      if (endpoint.method === 'GET' && endpoint.path.endsWith('/vault')) {
        await user.provider.put('/api/v1/vault', { vault: { wrapped: 'q83v' } });
      }
      const call = endpointCall(endpoint, await createResources(user), credentialOf(user, kind), { as: kind });
      expect((await setup.relay.call(call)).status).toBe(endpoint.success);
    },
  );

  if (endpoint.auth !== 'none') {
    test('refuses every other caller and every bad credential with 401', async () => {
      const ids = await createResources(setup.alice);
      const answers: Record<string, number> = {};
      for (const [name, credential] of Object.entries(badCredentials(endpoint))) {
        answers[name] = (await setup.relay.call(endpointCall(endpoint, ids, credential))).status;
      }
      expect(answers).toEqual(Object.fromEntries(Object.keys(answers).map((name) => [name, 401])));
    });
  }

  if (/:(requestId|refCode|keyId|sessionId)/.test(endpoint.path)) {
    test(row('decisions', 'unknown or foreign request'), async () => {
      const ids = await createResources(setup.alice);
      for (const kind of callersOf(endpoint).filter((kind) => kind !== 'anonymous')) {
        const ask = (where: typeof ids) =>
          setup.relay.call(endpointCall(endpoint, where, credentialOf(setup.bob, kind), { as: kind }));
        const unknown = await ask(unknownResources());
        expect(unknown.status).toBe(404);
        expect(comparableAnswer(await ask(ids))).toEqual(comparableAnswer(unknown));
        // What no id can be called is no better known.
        const malformed = await ask({ requestId: 'x', refCode: 'x', keyId: 'x', sessionId: 'x' });
        expect(comparableAnswer(malformed)).toEqual(comparableAnswer(unknown));
      }
    });
  }

  test('takes no other method, and says which it takes', async () => {
    const path = endpointCall(endpoint, unknownResources(), undefined).path;
    const takes = endpoints.filter((other) => other.path === endpoint.path).map(({ method }) => method);
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'].filter(
      (name) => !takes.some((taken) => taken === name),
    )) {
      const answer = await setup.relay.call({ method, path });
      expect(answer.status).toBe(405);
      expect(answer.headers.allow?.split(', ')).toEqual(expect.arrayContaining([...takes, 'OPTIONS']));
    }
  });
});

/** Everything that must not be let in, by what is wrong with it. */
function badCredentials(endpoint: Endpoint): Record<string, Credential> {
  const { consumer, provider } = setup.alice;
  const served = callersOf(endpoint);
  // Where a key is optional, a cookie is as good as nothing.
  const cookieCounts = endpoint.auth !== 'optional key';
  const others = kinds.filter((kind) => !served.includes(kind) && (kind !== 'session' || cookieCounts));
  // The key of a submit that is missing is a missing field: see submit.test.ts.
  const inBody = endpoint.auth === 'key in body';
  const known = served[0] === 'provider' ? provider.key : consumer.key;
  return {
    ...Object.fromEntries(
      others
        .filter((kind) => !inBody || kind === 'provider')
        .map((kind) => [kind, credentialOf(setup.alice, kind)]),
    ),
    'an empty key': { key: '' },
    'a bare prefix': { key: 'hs_' },
    "another service's key": { key: 'sk_live_0123456789abcdefghijABCDEFGHIJ0123456789' },
    'a mistyped key': { key: known.slice(0, -1) + (known.endsWith('x') ? 'y' : 'x') },
    'a key with something behind': { key: `${known}x` },
    'an unknown consumer key': { key: unknownKey('hs_') },
    'an unknown provider key': { key: unknownKey('hs_prov_') },
    ...(!inBody &&
      cookieCounts && { 'an invented cookie': { cookie: 'relay_session=s%3Ainvented.signature' } }),
  };
}
