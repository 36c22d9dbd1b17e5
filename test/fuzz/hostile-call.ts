import { METHODS } from 'node:http';
import fc from 'fast-check';
import { type NamedOperation, operations } from '../black-box/document.ts';
import type { HttpCall } from '../black-box/http-call.ts';
import { hostileBody } from './hostile-body.ts';
import { hostileText } from './hostile-values.ts';

/** Valid keys and ids, so that some of the calls pass authentication. */
export interface Inputs {
  readonly consumerKey: string;
  readonly providerKey: string;
  readonly cookie: string;
  /** By the names of the parameters of paths. */
  readonly ids: Readonly<Record<string, readonly string[]>>;
}

/** Any HTTP call, most of them nearly valid. */
export function hostileCall(inputs: Inputs): fc.Arbitrary<HttpCall> {
  const operation = fc.option(fc.constantFrom(...operations), { nil: undefined, freq: 30 });
  return operation.chain((chosen) =>
    fc
      .record({
        method: fc.oneof(
          { weight: 12, arbitrary: fc.constant(chosen?.method ?? 'GET') },
          { weight: 1, arbitrary: fc.constantFrom(...METHODS.filter((name) => name !== 'CONNECT')) },
        ),
        path: fc
          .tuple(hostilePath(chosen, inputs), hostileQuery(chosen))
          .map(([path, query]) => path + query),
        headers: fc.tuple(credential(chosen, inputs), fc.array(hostileHeader, { maxLength: 3 })),
        type: contentType,
        body: fc.option(hostileBody(chosen), { nil: undefined, freq: chosen?.requestBody ? 12 : 2 }),
        isChunked: fc.boolean(),
      })
      .map(({ method, path, headers: [own, others], type, body, isChunked }) => ({
        method,
        path,
        headers: { ...Object.fromEntries(others), ...own, ...(body !== undefined && type) },
        ...(body !== undefined && {
          body: isChunked ? inChunks(withKey(body, inputs)) : withKey(body, inputs),
        }),
      })),
  );
}

/** Replaces the invalid key of the document's examples with a valid one. */
const withKey = (body: string | Buffer, { consumerKey }: Inputs): string | Buffer =>
  typeof body === 'string' ? body.replace(/hs_[0-9A-Za-z]{38}/, consumerKey) : body;

/** A body in chunks, which can be sent and printed more than once. */
const inChunks = (body: string | Buffer): AsyncIterable<Buffer> & { readonly whole: Buffer } => {
  const whole = Buffer.from(body);
  return {
    whole,
    async *[Symbol.asyncIterator]() {
      for (let at = 0; at < whole.length; at += 1_000) yield whole.subarray(at, at + 1_000);
    },
  };
};

function hostilePath(operation: NamedOperation | undefined, { ids }: Inputs): fc.Arbitrary<string> {
  if (!operation) return fc.array(segment, { maxLength: 5 }).map((segments) => `/${segments.join('/')}`);
  const parts = operation.path.split(/\{(\w+)\}/);
  return fc
    .tuple(
      ...parts.map((part, at) =>
        at % 2
          ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...idsOf(ids, part)) }, segment)
          : fc.constant(part),
      ),
    )
    .map((filled) => filled.join(''));
}

/** Without a valid id, most of the calls of an operation would only get 404. */
function idsOf(ids: Inputs['ids'], name: string): readonly string[] {
  const found = ids[name];
  if (!found) throw new Error(`The fuzz test has no {${name}}: make some in makeInputs.`);
  return found;
}

const segment = fc.oneof(
  hostileText.map((text) => encodeURIComponent(text.toWellFormed())),
  fc.constantFrom(
    '.',
    '..',
    '%2e%2e',
    '%2f',
    '%5c',
    '%00',
    '%',
    '%ZZ',
    '%ff',
    '%C0%AE',
    '%E0%A4%A',
    ';a=b',
    'a;b',
    '*',
    '',
    '~',
    '@',
    '[',
    '{x}',
    'a'.repeat(3_000),
  ),
);

function hostileQuery(operation: NamedOperation | undefined): fc.Arbitrary<string> {
  const names = [
    'after',
    'limit',
    'status',
    'q',
    'apiKey',
    'x',
    ...(operation ? [operation.operationId] : []),
  ];
  const value = fc.oneof(
    hostileText.map((text) => encodeURIComponent(text.toWellFormed())),
    fc.constantFrom('1', '200', '-1', '1e9', 'pending', '%', '%ZZ', '%ff', '[]'),
  );
  const pair = fc
    .tuple(fc.constantFrom(...names, 'limit[]', '__proto__', '%00'), value)
    .map((both) => both.join('='));
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant('') },
    {
      weight: 2,
      arbitrary: fc.array(pair, { minLength: 1, maxLength: 3 }).map((pairs) => `?${pairs.join('&')}`),
    },
    { weight: 1, arbitrary: fc.constantFrom('?', '?&&&', '?=', '??', '?a?b#c') },
  );
}

function credential(
  operation: NamedOperation | undefined,
  inputs: Inputs,
): fc.Arbitrary<Record<string, string>> {
  // A sign-out must not end the session of the other calls.
  const cookie =
    operation?.path === '/logout' || operation?.path === '/auth/dev' ? 'relay_session=none' : inputs.cookie;
  return fc.constantFrom<Record<string, string>>(
    { 'x-api-key': inputs.consumerKey },
    { 'x-api-key': inputs.providerKey },
    { cookie },
    { cookie, 'x-api-key': inputs.providerKey },
    {},
  );
}

const contentType = fc.oneof(
  { weight: 10, arbitrary: fc.constant<Record<string, string>>({ 'content-type': 'application/json' }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Record<string, string>>(
      {},
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/json; charset=utf-16' },
      { 'content-type': 'application/json;;;charset' },
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      { 'content-type': 'multipart/form-data; boundary=' },
    ),
  },
);

/** The characters that a header can contain. */
const headerText = hostileText.map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '').slice(0, 4_000));

const hostileHeader = fc.tuple(
  fc.constantFrom(
    'accept',
    'authorization',
    'cookie',
    'expect',
    'forwarded',
    'if-match',
    'if-none-match',
    'idempotency-key',
    'origin',
    'range',
    'referer',
    'sec-fetch-site',
    'te',
    'traceparent',
    'tracestate',
    'user-agent',
    'via',
    'x-api-key',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-http-method-override',
    'x-relay-principal',
    'x-request-id',
    'x'.repeat(500),
  ),
  fc.oneof(
    headerText,
    fc.constantFrom(
      '100-continue',
      '1.1.1.1',
      '"x"',
      '*',
      'null',
      'https://evil.example',
      'DELETE',
      'bytes=0-1',
    ),
  ),
);
