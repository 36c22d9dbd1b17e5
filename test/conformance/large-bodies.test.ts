import { beforeAll, describe, expect, test } from '@jest/globals';
import { useRelay } from '../black-box/use-relay.ts';
import { createResources, credentialOf, endpointCall, type ResourceIds } from './endpoint-call.ts';
import { callersOf, type Endpoint, endpoints } from './endpoints.ts';

const setup = useRelay();
const megabyte = 1_048_576;
const longestResponse = 16 * 1024;

let ids: ResourceIds;
beforeAll(async () => {
  ids = await createResources(setup.alice);
});

/** JSON of at most `size` bytes that repeats `piece`. */
const fill = (size: number, start: string, piece: (index: number) => string, end: string): string => {
  const pieces: string[] = [];
  for (let left = size - start.length - end.length, index = 0; ; index++) {
    const next = piece(index);
    left -= next.length;
    if (left < 0) return start + pieces.join('') + end;
    pieces.push(next);
  }
};

/** Bodies that need much work in the parser. Those with too many values never reach a schema. */
const forParser: Record<string, (size: number) => string> = {
  'empty objects': (size) => fill(size, '[', () => '{},', '{}]'),
  'empty lists': (size) => fill(size, '[', () => '[[]],', '[]]'),
  numbers: (size) => fill(size, '[', () => '0,', '0]'),
  'numbers of many digits': (size) => fill(size, '[', () => `1.${'0'.repeat(766)}1,`, '0]'),
  'a number of many digits': (size) => fill(size, '0.', () => '1', '1'),
  'short members': (size) => fill(size, '{', (index) => `"${index.toString(36)}":0,`, '"_":0}'),
  'escaped quotes': (size) => fill(size, '"', () => '\\"', '"'),
  backslashes: (size) => fill(size, '"', () => '\\\\', '"'),
  'escaped letters': (size) => fill(size, '"', () => '\\u0041', '"'),
};

/** Bodies with as many values as the parser accepts, which need much work in the schema. */
const forSchema: Record<string, (size: number) => string> = {
  'texts in a list': (size) => fill(size, '[', () => `"${'x'.repeat(350)}",`, '""]'),
  'objects in a list': (size) => fill(size, '[', () => `{"x":"${'x'.repeat(350)}"},`, '{}]'),
  members: (size) => fill(size, '{', (index) => `"${index}${'x'.repeat(350)}":0,`, '"_":0}'),
  text: (size) => fill(size, '"', () => 'x', '"'),
  'white space in a key': (size) =>
    fill(size, '"-----BEGIN PUBLIC KEY-----', () => ' ', '-----END PUBLIC KEY-----"'),
};

const bodyOf = (endpoint: Endpoint) => endpoint.body?.(callersOf(endpoint)[0] ?? 'anonymous') ?? {};
/** The work is limited before any route: the largest body with an API key, and one of the session API. */
const withBody = endpoints.filter(
  ({ path, body }) => body && ['/api/v1/help', '/api/webhooks'].includes(path),
);
const withMember = withBody.flatMap((endpoint) => {
  const own = Object.keys(bodyOf(endpoint));
  return [...own, ...(endpoint.auth === 'key in body' ? ['apiKey'] : [])].map((member) => ({
    endpoint,
    member,
  }));
});

/** Calls an endpoint with one member replaced by a value. */
async function send(endpoint: Endpoint, member: string, value: string) {
  const call = endpointCall(endpoint, ids, credentialOf(setup.alice, callersOf(endpoint)[0] ?? 'anonymous'));
  const body = JSON.stringify({ ...JSON.parse(String(call.body)), [member]: '<value>' });
  return setup.relay.call({ ...call, body: Buffer.from(body.replace('"<value>"', () => value)) });
}

/** The response must be short, and an error must be the same for half of the body. */
async function expectBoundedResponse(endpoint: Endpoint, member: string, sized: (size: number) => string) {
  const large = await send(endpoint, member, sized(megabyte - 2_048));
  expect(Buffer.byteLength(large.text)).toBeLessThan(longestResponse);
  if (large.status !== 400) return;
  expect(large.json.fields?.length ?? 0).toBeLessThanOrEqual(20);
  expect((await send(endpoint, member, sized(megabyte / 2))).text).toBe(large.text);
}

describe.each(withBody)('$method $path: the response to 1 MB is short', (endpoint) => {
  const [list = 'unknown'] = Object.entries(bodyOf(endpoint)).flatMap(([name, value]) =>
    Array.isArray(value) ? [name] : [],
  );
  test.each(Object.entries(forParser))('%s', async (_name, sized) => {
    await expectBoundedResponse(endpoint, list, sized);
  });
});

describe.each(withMember)(
  '$endpoint.method $endpoint.path: the response to 1 MB in `$member` is short',
  ({ endpoint, member }) => {
    test.each(Object.entries(forSchema))('%s', async (_name, sized) => {
      await expectBoundedResponse(endpoint, member, sized);
    });
  },
);
