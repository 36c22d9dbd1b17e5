import type { Random } from '../../plan/random.ts';
import { cut, randomBytes } from './bodies.ts';
import { type Call, inChunks } from './call.ts';

/** Makes one part of a call invalid or unusual. */
export interface Mutation {
  readonly title: string;
  apply(call: Call, random: Random): void;
}

const mutation = (title: string, apply: Mutation['apply']): Mutation => ({ title, apply });

const addHeader =
  (name: string, ...values: readonly string[]): Mutation['apply'] =>
  (call, random) =>
    void call.headers.splice(random.integer(0, call.headers.length), 0, [name, random.pick(values)]);

const withoutHost = (call: Call): void => {
  call.headers = call.headers.filter(([name]) => name !== 'host');
};

/** Replaces the body. Headers that state its length stay as they are. */
const writeBody = (call: Call, rawBody: Buffer | string): void => {
  call.rawBody = Buffer.from(rawBody as string);
};

const requestLine: readonly Mutation[] = [
  mutation('absolute-form', (call) => {
    call.target = `http://example.test${call.target}`;
  }),
  mutation('an absolute-form that cannot be parsed', (call, random) => {
    call.target = random.pick([
      'http://[::1',
      'http://',
      'http://:99999999/',
      'http://a b/',
      'http://%/',
      '//',
      'x:',
    ]);
  }),
  mutation('asterisk-form', (call, random) => {
    call.method = random.pick(['OPTIONS', 'GET', 'POST']);
    call.target = '*';
  }),
  mutation('an odd path', (call, random) => {
    call.target = random.pick([
      '/%00',
      '/%ff%fe',
      '/..%2f..%2fetc/passwd',
      '/api/v1/../../internal',
      '//evil.example/api/health',
      '/api/v1/help/%2e%2e',
      '/\\..\\',
      '?',
      '#',
      '/%',
      `/${'a/'.repeat(4_000)}`,
      '/api/health?__proto__[x]=1',
      'no-slash',
    ]);
  }),
  mutation('a long query', (call, random) => {
    const count = random.integer(500, 3_500);
    call.target += `?${Array.from({ length: count }, (_, index) => `${index.toString(36)}=`).join('&')}`;
  }),
  mutation('an odd method', (call, random) => {
    call.method = random.pick([
      'TRACE',
      'PROPFIND',
      'PATCH',
      'get',
      'GE T',
      'M-SEARCH',
      'X'.repeat(3_000),
      'PRI',
      '',
    ]);
  }),
  mutation('another version', (call, random) => {
    call.version = random.pick([
      'HTTP/1.0',
      'HTTP/1.0',
      'HTTP/0.9',
      'HTTP/2.0',
      'HTTP/9.9',
      'HTTP/1.1 x',
      'ICY/1.1',
      '',
    ]);
  }),
  mutation('CONNECT', (call, random) => {
    call.method = 'CONNECT';
    call.target = random.pick(['example.test:443', '[::1', 'x', '127.0.0.1:5432', ':0', call.target]);
  }),
];

const heads: readonly Mutation[] = [
  mutation('no Host', withoutHost),
  mutation('two Hosts', addHeader('host', 'other.example', '')),
  mutation('an odd Host', (call, random) => {
    withoutHost(call);
    addHeader(
      'host',
      '',
      '[',
      'a b',
      'evil.example',
      '\xff',
      'x'.repeat(2_000),
      'a:99999',
      '@',
    )(call, random);
  }),
  mutation('Expect: 100-continue', addHeader('expect', '100-continue', '100-Continue')),
  mutation('an unknown Expect', addHeader('expect', '200-maybe', '', '100-continue, x')),
  mutation('Upgrade: websocket', (call, random) => {
    addHeader('upgrade', 'websocket')(call, random);
    addHeader('connection', 'Upgrade', 'keep-alive, Upgrade')(call, random);
    addHeader('sec-websocket-key', 'dGhlIHNhbXBsZSBub25jZQ==')(call, random);
    addHeader('sec-websocket-version', '13')(call, random);
  }),
  mutation('Upgrade: h2c', (call, random) => {
    addHeader('upgrade', 'h2c', 'TLS/1.0', '')(call, random);
    addHeader('connection', 'Upgrade, HTTP2-Settings')(call, random);
    addHeader('http2-settings', 'AAMAAABkAAQAAP__')(call, random);
  }),
  mutation(
    'Connection',
    addHeader('connection', 'close', 'keep-alive', 'host', 'x-api-key, content-length', ',,,'),
  ),
  mutation(
    'a forwarded address',
    addHeader('x-forwarded-for', '10.0.0.1', '::', 'x', `${'1.1.1.1, '.repeat(800)}1.1.1.1`),
  ),
  mutation('a forged internal header', addHeader('x-relay-principal', 'x', 'AAAA.BBBB', 'a'.repeat(5_000))),
  mutation('a coding of the body', addHeader('content-encoding', 'gzip', 'br', 'deflate, gzip', 'x')),
  mutation(
    'an odd type',
    addHeader('content-type', 'text/plain', '', ';', 'multipart/form-data', 'application/json; charset=\xff'),
  ),
  mutation('a range', addHeader('range', 'bytes=0-', 'bytes=-1', `bytes=${'0-0,'.repeat(2_000)}`)),
  mutation('a condition', addHeader('if-none-match', '*', 'W/"x"', `${'"a",'.repeat(2_000)}`)),
  mutation('a huge header', (call, random) =>
    addHeader('x', 'y'.repeat(random.pick([15_000, 17_000, 70_000])))(call, random),
  ),
  mutation('thousands of headers', (call, random) => {
    const count = random.integer(1_900, 2_600);
    for (let index = 0; index < count; index++) call.headers.push([`x${index.toString(36)}`, '']);
  }),
  mutation('bytes that are not allowed in a head', (call, random) =>
    addHeader('x', '\0', 'a\0b', '\x80\xff', '\x7f', '\x0b', 'a\rb')(call, random),
  ),
  mutation('bare line feeds', (call) => {
    call.newline = '\n';
  }),
  mutation('a folded header', addHeader('x', 'one\r\n two', 'one\r\n\ttwo\r\n three')),
  mutation(
    'an invalid header',
    (call, random) =>
      void call.headers.push(
        random.pick([
          ['x ', 'y'],
          ['', 'y'],
          ['a b', 'c'],
          ['x\r\ny', 'z'],
          ['{', '}'],
        ] as const),
      ),
  ),
];

const bodies: readonly Mutation[] = [
  mutation('a wrong Content-Length', (call, random) => {
    call.framing = 'none';
    const { length } = call.body;
    const values = [
      length + 1,
      length + 100_000,
      Math.max(0, length - 1),
      '-1',
      '0x10',
      '1e3',
      '18446744073709551616',
      '+5',
      '5, 5',
      '',
    ];
    call.headers.push(['content-length', String(random.pick(values))]);
  }),
  mutation('two lengths', (call) => void call.headers.push(['content-length', '3'])),
  mutation('a length and chunks', (call, random) => {
    call.framing = 'length';
    call.headers.push([
      'transfer-encoding',
      random.pick(['chunked', 'Chunked', ' chunked', 'gzip, chunked']),
    ]);
    writeBody(call, inChunks(call.body, random));
  }),
  mutation('chunks', (call) => {
    call.framing = 'chunked';
  }),
  mutation('a chunk of the wrong size', (call, random) => {
    call.framing = 'chunked';
    const sizes = [
      '1',
      'ff',
      'fffffff',
      'ffffffffffffffff1',
      '-1',
      '0x5',
      'zz',
      '',
      ' 5',
      '5 5',
      '00000000000000000005',
    ];
    writeBody(call, `${random.pick(sizes)}\r\nhello\r\n0\r\n\r\n`);
  }),
  mutation('chunk extensions', (call, random) => {
    call.framing = 'chunked';
    const extension = random.pick([';a=b', ';a="b\\"c"', `;${'x'.repeat(20_000)}`, ';\n', ';=;=']);
    writeBody(call, `2${extension}\r\n{}\r\n0${extension}\r\n\r\n`);
  }),
  mutation('many small chunks', (call, random) => {
    call.framing = 'chunked';
    writeBody(
      call,
      '1\r\n \r\n'.repeat(random.integer(1_000, 20_000)) + (random.chance(0.5) ? '2\r\n{}\r\n0\r\n\r\n' : ''),
    );
  }),
  mutation('trailers', (call, random) => {
    call.framing = 'chunked';
    const trailers = [
      'host: evil.example',
      'content-length: 5',
      `x: ${'y'.repeat(20_000)}`,
      'a\0: b',
      'x: y\r\n'.repeat(3_000),
    ];
    writeBody(call, `2\r\n{}\r\n0\r\n${random.pick(trailers)}\r\n\r\n`);
  }),
  mutation('an odd transfer coding', (call, random) => {
    call.framing = 'none';
    call.headers.push([
      'transfer-encoding',
      random.pick(['identity', 'gzip', 'chunked, chunked', 'chunked, identity', 'x', '']),
    ]);
  }),
  mutation('a body that is missing', (call, random) => {
    call.framing = 'none';
    call.headers.push(['content-length', String(random.integer(1, 2_000_000))]);
    writeBody(call, '');
  }),
  mutation('a truncated body', (call, random) => writeBody(call, cut(random, call.body))),
  mutation('a body that is not expected', (call, random) => {
    call.framing = random.pick(['length', 'chunked']);
    call.body = randomBytes(random, random.integer(1, 2_000));
  }),
];

const all = [...requestLine, ...heads, ...bodies];

/** Mutates a call up to three times. Returns the titles of the mutations. */
export function mutateCall(call: Call, random: Random): string[] {
  const chosen = Array.from({ length: random.integer(1, 3) }, () => random.pick(all));
  for (const { apply } of chosen) apply(call, random);
  return chosen.map(({ title }) => title);
}

/** Applies the mutation with this title. */
export function applyMutation(title: string, call: Call, random: Random): void {
  all.find((one) => one.title === title)?.apply(call, random);
}
