import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkAnswer } from '../black-box/check-answer.ts';
import {
  examplesOf,
  follow,
  type NamedOperation,
  operations,
  type Parameter,
} from '../black-box/document.ts';
import { type Answer, type HttpCall, sendCall } from '../black-box/http-call.ts';
import { rawAnswer } from '../black-box/raw-answer.ts';
import { useRelay } from '../black-box/use-relay.ts';

/*
 * Each parameter, header, form field, cookie and body member of each operation gets each odd text, in each example of a body and at
 * any depth. No answer may be a fault of the relay, and each must be one that docs/openapi.yaml allows.
 */

const setup = useRelay();
const agent = new Agent({ keepAlive: true, maxSockets: 16 });
afterAll(() => agent.destroy());

/** For paths, queries and forms: NUL, a surrogate, overlong and broken UTF-8, broken escapes, line breaks, lengths. */
const encoded = [
  ...['%00', 'a%00b', '%ED%A0%80', '%ED%BF%BF', '%C0%80', '%FF%FE', '%E0%A4', '%', '%ZZ', '%u0000'],
  ...[
    '%EF%BB%BF',
    '%EF%BF%BF',
    '%E2%80%AE',
    '%F0%9F%99%88',
    '%0D%0Aset-cookie:%20a=b',
    '%2e%2e%2f',
    '+',
    '__proto__',
  ],
  ...['a'.repeat(43), 'a'.repeat(5_000), '%00'.repeat(1_000), '%F0%9F%99%88'.repeat(300)],
];

/** For headers, as bytes: Node writes each character of a header as one byte. */
const headerTexts = [
  ...['', ' ', '\t', '%00', '%ED%A0%80', '%', '"', '\x80\xff', 'é', '\xed\xa0\x80', '\xc0\x80', '=;=;', ','],
  ...[
    's:%00.a',
    's%3A%ED%A0%80.a',
    'j:{"a":1}',
    'a.b',
    '..',
    '.',
    '__proto__',
    'x'.repeat(8_000),
    '\xff'.repeat(4_000),
  ],
];

/** For members of a body, as JSON. */
const jsonTexts = [
  ...[
    '"\\u0000"',
    '"a\\u0000b"',
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"\\uffff"',
    '"\\ufeff"',
    '"\\u202e"',
    '""',
    '" "',
  ],
  // Nearly addresses.
  ...[
    '"https://"',
    '"https://["',
    '"https://a.example:99999/"',
    '"//a"',
    '"/a"',
    '"a@b"',
    '"mailto:a@b.example"',
  ],
  ...[
    'null',
    '0',
    '1e999',
    '-0',
    'true',
    '[]',
    '{}',
    '["\\u0000"]',
    '{"\\u0000":1}',
    `"${'x'.repeat(100_000)}"`,
  ],
];

/** Bodies that are no UTF-8, or are another encoding. */
const rawBodies = [
  '00',
  'ff',
  'fffe7b007d00',
  'efbbbf7b7d',
  '7b2261223a22eda080227d',
  '7b2261223a22c080227d',
  '1f8b0800',
].map((hex) => Buffer.from(hex, 'hex'));

/** Each alone, since a bad one ends the call before the next one is looked at. */
const decidingHeaders = [
  'cookie',
  'x-api-key',
  'authorization',
  'idempotency-key',
  'if-match',
  'content-type',
  'origin',
];
/** Together in one call: no call ends because of one of them. */
const otherHeaders = [
  'user-agent',
  'accept',
  'accept-encoding',
  'traceparent',
  'x-request-id',
  'x-forwarded-for',
  'sec-fetch-site',
];
const sessionCookies = ['relay_session', '__Host-relay_session'];
const otherCookies = ['relay_return_to', 'relay_sign_in', 'relay_refusal'];

let ids: Record<string, string>;
beforeAll(async () => {
  const { requestId, refCode } = await setup.alice.consumer.newRequest();
  const spare = await setup.alice.newKey('consumer');
  ids = {
    requestId,
    refCode,
    keyId: spare.keyId,
    provider: 'github',
    sessionId: 'x',
    webhookId: 'x',
    channelId: 'x',
    deliveryId: 'x',
    page: 'requests',
    file: 'x.js',
  };
});

/** A sign-out, or a sign-in, must not end the session of the other calls. */
const endsSession = ({ method, path }: NamedOperation) =>
  ['/logout', '/auth/dev', '/auth/link'].includes(path) || (path === '/api/sessions' && method === 'DELETE');

function credentialOf(operation: NamedOperation): Readonly<Record<string, string>> {
  const names = operation.security.flatMap((one) => Object.keys(one));
  if (names.includes('session') && !endsSession(operation)) return { ...setup.alice.session.headers };
  if (names.includes('providerKey')) return { ...setup.alice.provider.headers };
  return names.includes('consumerKey') ? { ...setup.alice.consumer.headers } : {};
}

const pathOf = (operation: NamedOperation, given: Record<string, string> = {}) =>
  operation.path.replace(/\{(\w+)\}/g, (_, name: string) => given[name] ?? ids[name] ?? 'x');

const parametersOf = ({ parameters = [] }: NamedOperation, place: Parameter['in']) =>
  parameters.map((parameter) => follow<Parameter>(parameter)).filter((parameter) => parameter.in === place);

/** With a valid key, so that the other members are looked at. */
const withKey = (value: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
  ...value,
  ...('apiKey' in value && { apiKey: setup.alice.consumer.key }),
});

interface Example {
  readonly type: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** The examples of the body of an operation, of its first type. */
function bodyExamplesOf({ requestBody }: NamedOperation): readonly Example[] {
  const [[type = '', media] = []] = Object.entries(requestBody?.content ?? {});
  const examples = media ? examplesOf(media) : [];
  return examples.map((example) => ({ type, value: withKey(example as Record<string, unknown>) }));
}

function bodyOf(operation: NamedOperation): Pick<HttpCall, 'headers' | 'body'> {
  const [example] = bodyExamplesOf(operation);
  if (!example) return {};
  const isForm = example.type.includes('form');
  const body = isForm
    ? String(new URLSearchParams(example.value as Record<string, string>))
    : JSON.stringify(example.value);
  return { headers: { 'content-type': example.type }, body };
}

const alone = (names: readonly string[]) => [...new Set(names)].map((name) => [name]);

/** Long texts of several headers would only be refused as too long. */
const together = (names: readonly string[], text: string) => (text.length < 1_000 ? [names] : alone(names));

function* callsOf(operation: NamedOperation): Generator<HttpCall> {
  const { method } = operation;
  const credential = credentialOf(operation);
  const { headers: own = {}, body } = bodyOf(operation);
  const headers = { ...own, ...credential };
  const rest = { headers, ...(body !== undefined && { body }) };
  const path = pathOf(operation);

  for (const [, name = ''] of operation.path.matchAll(/\{(\w+)\}/g))
    for (const text of encoded) yield { method, path: pathOf(operation, { [name]: text }), ...rest };
  const queryNames = parametersOf(operation, 'query').map(({ name }) => name);
  for (const name of new Set([...queryNames, 'other', '%00']))
    for (const text of encoded) yield { method, path: `${path}?${name}=${text}`, ...rest };

  const headerNames = [...decidingHeaders, ...parametersOf(operation, 'header').map(({ name }) => name)];
  for (const text of headerTexts) {
    const odd = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, text]));
    for (const names of [...alone(headerNames), ...together(otherHeaders, text)])
      yield { method, path, ...rest, headers: { ...headers, ...odd(names) } };
    for (const names of [...alone(sessionCookies), ...together(otherCookies, text)]) {
      const cookie = names.map((name) => `${name}=${text}`).join('; ');
      yield { method, path, ...rest, headers: { ...own, cookie } };
    }
  }

  const examples = bodyExamplesOf(operation);
  if (examples.length > 0) for (const raw of rawBodies) yield { method, path, headers, body: raw };
  const bodies = new Set<string>();
  for (const { type, value } of examples) {
    if (type.includes('form')) {
      for (const name of Object.keys(value)) {
        for (const text of encoded) yield { method, path, headers, body: `${name}=${text}` };
        for (const raw of rawBodies)
          yield { method, path, headers, body: Buffer.concat([Buffer.from(`${name}=`), raw]) };
      }
    } else for (const text of jsonTexts) for (const body of replacements(value, text)) bodies.add(body);
  }
  for (const body of bodies) yield { method, path, headers, body };
}

/** The JSON of a value, each time with other JSON in place of one of its members, at any depth. */
function* replacements(value: unknown, json: string): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  const isList = Array.isArray(value);
  const members = Object.entries(value).map(([key, member]) => {
    const name = isList ? '' : `${JSON.stringify(key)}:`;
    return { name, text: name + JSON.stringify(member), member };
  });
  const [start, end] = isList ? '[]' : '{}';
  for (const [index, { name, member }] of members.entries()) {
    for (const replaced of [json, ...replacements(member, json)]) {
      const texts = members.map(({ text }, at) => (at === index ? name + replaced : text));
      yield `${start}${texts.join()}${end}`;
    }
  }
}

/** Without a session, this path leads to the provider; `checkAnswer` takes every redirect of /auth/* for one of a session. */
const differencesOf = ({ path }: NamedOperation, call: HttpCall, answer: Answer) =>
  path === '/auth/{provider}' && answer.status === 302 ? [] : checkAnswer(call, answer);

const describeCall = ({ method, path, headers, body }: HttpCall) =>
  JSON.stringify({ method, path: path.slice(0, 120), headers, body: String(body ?? '').slice(0, 120) }).slice(
    0,
    700,
  );

describe('an odd text in any place is no fault of the relay, and answered as documented', () => {
  test.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    '%s',
    async (_name, operation) => {
      const failures: string[] = [];
      const waiting = callsOf(operation);
      const one = async () => {
        for (const call of waiting) {
          const answer = await sendCall(setup.relay.url, call, agent).catch((error: Error) => error);
          const found =
            answer instanceof Error
              ? [answer.message]
              : answer.status >= 500 && answer.status !== 503
                ? [`${answer.status} ${answer.text}`]
                : differencesOf(operation, call, answer);
          if (found.length > 0) failures.push(`${found.join('; ')}: ${describeCall(call)}`);
        }
      };
      await Promise.all(Array.from({ length: 8 }, one));
      expect(failures.slice(0, 5)).toEqual([]);
    },
  );
});

test('odd bytes in a request line and in header names are refused, and no fault of the relay', async () => {
  const failures: string[] = [];
  for (const path of ['/auth/link', '/dashboard/x', '/api/v1/requests', '/api/requests/x', '/auth/error'])
    for (const text of ['\x00', '\x80', '\xff\xfe', '\xed\xa0\x80', '\xc0\x80', 'é', '\x7f', '\x0b']) {
      for (const line of [`${path}?token=${text}`, `${path}/${text}`, `${path}?${text}=a`]) {
        const head = `GET ${line} HTTP/1.1\r\nhost: x\r\ncookie: a=${text}\r\nx-${text}: 1\r\nconnection: close\r\n\r\n`;
        for (const bytes of [head, head.replace(/x-.*: 1\r\n/s, '').replace(/cookie: .*\r\n/, '')]) {
          const { status } = await rawAnswer(setup.relay.url, Buffer.from(bytes, 'latin1'));
          if (status >= 500) failures.push(`${status}: ${JSON.stringify(bytes)}`);
        }
      }
    }
  expect(failures).toEqual([]);
});

describe('an odd text at the hub is no fault of the hub', () => {
  test.each(['topic', 'authorization', 'lastEventId', 'other', '%00'])(
    'in the parameter %s',
    async (name) => {
      for (const text of encoded) {
        const topic = name === 'topic' ? '' : `topic=/svc/providers/${setup.alice.userId}&`;
        const response = await fetch(`${setup.relay.hubUrl}/?${topic}${name}=${text}`);
        await response.body?.cancel();
        expect([text, response.status < 500]).toEqual([text, true]);
      }
    },
  );

  test.each(['authorization', 'x-api-key', 'last-event-id', 'cookie', 'accept', 'origin'])(
    'in the header %s',
    async (name) => {
      for (const text of headerTexts) {
        const call = {
          method: 'GET',
          path: `/?topic=/svc/providers/${setup.alice.userId}`,
          headers: { [name]: text },
        };
        const answer = await sendCall(setup.relay.hubUrl, call, agent);
        expect([text, answer.status < 500]).toEqual([text, true]);
      }
    },
  );
});
