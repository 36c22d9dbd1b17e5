/** For paths, queries and forms: NUL, a surrogate, overlong and broken UTF-8, broken escapes, line breaks, lengths. */
export const encoded = [
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
export const headerTexts = [
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
export const jsonTexts = [
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
export const rawBodies = [
  '00',
  'ff',
  'fffe7b007d00',
  'efbbbf7b7d',
  '7b2261223a22eda080227d',
  '7b2261223a22c080227d',
  '1f8b0800',
].map((hex) => Buffer.from(hex, 'hex'));
