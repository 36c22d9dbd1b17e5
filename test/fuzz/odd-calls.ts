import {
  examplesOf,
  follow,
  type NamedOperation,
  operations,
  type Parameter,
} from '../black-box/document.ts';
import type { Expert } from '../black-box/expert.ts';
import type { HttpCall } from '../black-box/http-call.ts';
import { encoded, headerTexts, jsonTexts, rawBodies } from './odd-texts.ts';

type Ids = Readonly<Record<string, string>>;

/** A call with an odd text in one place, and the operation whose path it has. */
export interface OddCall {
  readonly call: HttpCall;
  readonly operation: NamedOperation;
}

/**
 * Each parameter, header, form field, cookie and body member of each operation gets each odd text, in each example of a body and at any
 * depth. Of these calls, every `step`th is returned, beginning with number `first`.
 */
export function* oddCalls(
  user: Expert,
  ids: Ids,
  { step, first }: { step: number; first: number },
): Generator<OddCall> {
  let count = 0;
  for (const operation of operations)
    for (const call of callsOf(operation, user, ids))
      if (count++ % step === first % step) yield { call, operation };
}

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

/** A sign-out, or a sign-in, must not end the session of the other calls. */
const endsSession = ({ method, path }: NamedOperation) =>
  ['/logout', '/auth/dev', '/auth/link'].includes(path) || (path === '/api/sessions' && method === 'DELETE');

function credentialOf(
  operation: NamedOperation,
  { consumer, provider, session }: Expert,
): Record<string, string> {
  const names = operation.security.flatMap((one) => Object.keys(one));
  if (names.includes('session') && !endsSession(operation)) return { ...session.headers };
  if (names.includes('providerKey')) return { ...provider.headers };
  return names.includes('consumerKey') ? { ...consumer.headers } : {};
}

const pathOf = (operation: NamedOperation, ids: Ids, odd: Ids = {}) =>
  operation.path.replace(/\{(\w+)\}/g, (_, name: string) => odd[name] ?? ids[name] ?? 'x');

const parametersOf = ({ parameters = [] }: NamedOperation, place: Parameter['in']) =>
  parameters.map((parameter) => follow<Parameter>(parameter)).filter((parameter) => parameter.in === place);

/** With a valid key, so that the other members are looked at. */
const withKey = (
  value: Readonly<Record<string, unknown>>,
  { consumer }: Expert,
): Record<string, unknown> => ({
  ...value,
  ...('apiKey' in value && { apiKey: consumer.key }),
});

interface Example {
  readonly type: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** The examples of the body of an operation, of its first type. */
function bodyExamplesOf({ requestBody }: NamedOperation, user: Expert): readonly Example[] {
  const [[type = '', media] = []] = Object.entries(requestBody?.content ?? {});
  const examples = media ? examplesOf(media) : [];
  return examples.map((example) => ({ type, value: withKey(example as Record<string, unknown>, user) }));
}

function bodyOf(example: Example | undefined): Pick<HttpCall, 'headers' | 'body'> {
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

function* callsOf(operation: NamedOperation, user: Expert, ids: Ids): Generator<HttpCall> {
  const { method } = operation;
  const credential = credentialOf(operation, user);
  const examples = bodyExamplesOf(operation, user);
  const { headers: own = {}, body } = bodyOf(examples[0]);
  const headers = { ...own, ...credential };
  const rest = { headers, ...(body !== undefined && { body }) };
  const path = pathOf(operation, ids);

  for (const [, name = ''] of operation.path.matchAll(/\{(\w+)\}/g))
    for (const text of encoded) yield { method, path: pathOf(operation, ids, { [name]: text }), ...rest };
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
