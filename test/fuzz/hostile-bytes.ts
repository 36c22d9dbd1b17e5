import fc from 'fast-check';

const line = fc.constantFrom(
  'GET /api/health HTTP/1.1',
  'POST /api/v1/help HTTP/1.1',
  'GET /api/health HTTP/1.0',
  'GET /api/health HTTP/9.9',
  'GET /api/health',
  'GET  /api/health  HTTP/1.1',
  'get /api/health http/1.1',
  'GET http://x/api/health HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'PRI * HTTP/2.0',
  'GET /\0 HTTP/1.1',
  'GET /ä HTTP/1.1',
  '',
);

const header = fc.constantFrom(
  'host: x',
  'host:',
  'content-length: 5',
  'content-length: 18446744073709551616',
  'content-length: -1',
  'content-length: 5, 5',
  'transfer-encoding: chunked',
  'transfer-encoding: chunked, chunked',
  'transfer-encoding: identity',
  'Transfer-Encoding : chunked',
  'content-type: application/json',
  'connection: close',
  'connection: upgrade',
  'upgrade: websocket',
  'upgrade: h2c',
  'expect: 100-continue',
  'x-api-key: hs_\0',
  ' folded: header',
  'no-colon',
  ': no name',
  'x: ü',
  `x: ${'y'.repeat(20_000)}`,
);

const body = fc.oneof(
  fc.constantFrom(
    '',
    'hello',
    '5\r\nhello\r\n0\r\n\r\n',
    'zz\r\n',
    'ffffffffffffffffff\r\nx',
    '0\r\nx: y\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
  ),
  fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
);

/** Invalid requests. Each has `connection: close`, so that the server ends the connection. */
export const hostileBytes: fc.Arbitrary<Buffer> = fc
  .record({
    line,
    headers: fc.array(header, { maxLength: 6 }),
    end: fc.constantFrom('\r\n\r\n', '\n\n', '\r\n', ''),
    body,
    junk: fc.boolean(),
  })
  .map(({ line: first, headers, end, body: rest, junk }) =>
    Buffer.from([first, ...headers, 'connection: close'].join(junk ? '\n' : '\r\n') + end + rest, 'latin1'),
  );
