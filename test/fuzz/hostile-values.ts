import fc from 'fast-check';

/** Texts that often cause errors in parsers, databases and pages. */
const texts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udfff',
  '\ufeff',
  '\uffff',
  '\u2028',
  '🙈',
  'e\u0301',
  '\r\nx-injected: 1',
  '__proto__',
  'constructor',
  'toString',
  "' OR 1=1; --",
  "'; DROP TABLE help_requests; --",
  '$1',
  `\${7*7}`,
  '{{7*7}}',
  '%s%n%x',
  '<script>alert(1)</script>',
  '../../etc/passwd',
  'file:///etc/passwd',
  'null',
  'NaN',
  '-0',
  '1e400',
  '0x10',
  '2026-02-30T00:00:00.000Z',
  '00000000-0000-0000-0000-000000000000',
  '-----BEGIN PUBLIC KEY-----\n\n-----END PUBLIC KEY-----',
  '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VuBCIEIA==\n-----END PRIVATE KEY-----',
  '/svc/requests/*',
  '/svc/providers/../x',
  'hs_',
  'hs_prov_',
  '=',
  'AAAA=',
  '=AAA',
  'A'.repeat(10_000),
  '('.repeat(2_000),
];

export const hostileText = fc.oneof(
  fc.constantFrom(...texts),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({
    unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
    maxLength: 20,
  }),
);

const hostileNumber = fc.oneof(
  fc.constantFrom(0, -0, -1, 1.5, 1e308, -1e308, 5e-324, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 63, 2 ** 64),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const nested = fc.integer({ min: 1, max: 40 }).map((depth) => {
  let value: unknown = 'deep';
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value };
  return value;
});

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  hostileNumber,
  fc.constantFrom(null, true, false, [], {}, [[]], [null], { '': '' }, { length: 1e9 }, { toJSON: 1 }),
  nested,
  fc.array(hostileText, { maxLength: 5 }),
  fc.dictionary(hostileText, hostileText, { maxKeys: 4 }),
  fc.jsonValue({ maxDepth: 4 }),
);
