import { type Bytes, concat, toUtf8, tuple } from '../../../crypto/bytes.ts';
import type { Role } from '../../../crypto/key-exchange.ts';
import type { Draft, HexPart } from '../case.ts';
import { forge } from '../forge.ts';
import { submission } from '../people.ts';
import { hex, seeded, unhex } from '../seeded.ts';
import { open, seal } from './messages.ts';

type Body = readonly (Uint8Array | string)[];

const part = (kind: number, ...body: Body): HexPart => ({
  kind,
  body: hex(concat(...body.map((one) => (typeof one === 'string' ? toUtf8(one) : one)))),
});
const form = (...body: Body) => part(1, ...body);
const answer = (...body: Body) => part(2, ...body);
const file = (name: string | Uint8Array, mediaType: string | Uint8Array, ...bytes: Body) =>
  part(3, tuple(name, mediaType), ...bytes);

const nothing = seeded('a form that nobody sent');
const notUtf8 = Uint8Array.of(0xff);
const approval = '{"type":"object","properties":{}}';
const decline = '{"action":"decline","decidedAt":"2026-11-23T12:00:00Z"}';
const log = file('build.log', 'text/plain', 'done\n');
const png = file('a screen.png', 'image/png', Uint8Array.of(0x89, 0x50, 0, 255));

/** What a frame may have. `known` ones are those of the kinds 1 to 3. */
const valid: [name: string, role: Role, parts: readonly HexPart[], text?: string][] = [
  ['a form', 'consumer', [form(approval)], 'May I?'],
  ['a form without a text', 'consumer', [form(approval)]],
  ['a form that is nothing', 'consumer', [form()]],
  ['a form that is not JSON, which the frame does not say', 'consumer', [form('\ufeffMay I? \0')]],
  ['a form of the whole UTF-8', 'consumer', [form('"caf\u00e9 cafe\u0301 \u{1f418}\u{10ffff}"')]],
  ['an answer to something that nobody sent', 'provider', [answer(nothing, decline)], 'Not on a Friday.'],
  ['an answer that is nothing', 'provider', [answer(nothing)]],
  ['a file of the agent', 'consumer', [log], 'It stopped here.'],
  ['a file of the expert, without a text', 'provider', [png]],
  ['a file without bytes', 'provider', [file('empty', 'a/b')]],
  ['eight files, in their order', 'provider', [png, log, ...Array(5).fill(png), log]],
  ['a form and two files', 'consumer', [form(approval), png, log]],
  ['an answer and two files', 'provider', [answer(nothing, decline), log, png]],
  ['files beside parts that this version cannot show', 'provider', [part(0), log, part(200), part(255, 'x')]],
  ['a part of kind 0', 'consumer', [part(0, 'zero')]],
  ['parts that were given in another order', 'consumer', [part(200), png, form(approval), log]],
  ['a name of 255 bytes', 'consumer', [file(`${'é'.repeat(127)}.`, 'a/b')]],
  ['a name with anything', 'consumer', [file('../\0\u202e\ufeff\n/', 'a/b')]],
  ['a media type of 127 bytes', 'consumer', [file('a', `a/${'b'.repeat(125)}`)]],
  ['a media type of one digit each', 'consumer', [file('a', '0/9')]],
  ['a media type with all signs, in capitals', 'consumer', [file('a', 'Z!#$&-^_.+/A!#$&-^_.+')]],
];

const mediaTypes = [
  '',
  'image',
  '/png',
  'image/',
  'a/b/c',
  'a/b;c=d',
  'a /b',
  'ä/b',
  'a/\u212a',
  '.a/b',
  'a/-b',
  'a/b\n',
];

const refused: [name: string, role: Role, parts: readonly HexPart[]][] = [
  ['a form of the expert', 'provider', [form(approval)]],
  ['two forms', 'consumer', [form(approval), form(approval)]],
  ['a form that is not UTF-8', 'consumer', [form(notUtf8)]],
  ['an answer of the agent', 'consumer', [answer(nothing, decline)]],
  ['two answers', 'provider', [answer(nothing, decline), answer(nothing, decline)]],
  ['an answer without anything', 'provider', [answer()]],
  ['an answer that is cut off in its `of`', 'provider', [answer(nothing.subarray(1))]],
  ['an answer that is not UTF-8', 'provider', [answer(nothing, notUtf8)]],
  ['an answer that is cut off in a character', 'provider', [answer(nothing, Uint8Array.of(0xe2, 0x82))]],
  ['nine files', 'provider', Array(9).fill(log)],
  ['a file without anything', 'consumer', [part(3)]],
  ['a file that is cut off in the length of its name', 'consumer', [part(3, Uint8Array.of(0, 0, 0))]],
  ['a file that is cut off in its name', 'consumer', [part(3, Uint8Array.of(0, 0, 0, 2, 65))]],
  ['a file whose name has the largest length', 'consumer', [part(3, Uint8Array.of(255, 255, 255, 255, 65))]],
  ['a file without a media type', 'consumer', [part(3, tuple('a'))]],
  [
    'a file that is cut off in its media type',
    'consumer',
    [part(3, tuple('a'), Uint8Array.of(0, 0, 0, 4), 'a/b')],
  ],
  ['a file without a name', 'consumer', [file('', 'a/b')]],
  ['a name of 256 bytes', 'consumer', [file('é'.repeat(128), 'a/b')]],
  ['a name that is not UTF-8', 'consumer', [file(notUtf8, 'a/b')]],
  ['a media type that is not UTF-8', 'consumer', [file('a', notUtf8)]],
  ...mediaTypes.map((type): (typeof refused)[0] => [
    `the media type ${JSON.stringify(type)}`,
    'consumer',
    [file('a', type)],
  ]),
  ['a media type of 128 bytes', 'consumer', [file('a', `a/${'b'.repeat(126)}`)]],
  ['a good file before one without a name', 'provider', [log, file('', 'a/b')]],
  ['a second form beside a part of no known kind', 'consumer', [part(0), form(), form(), part(200)]],
];

const other = { consumer: 'provider', provider: 'consumer' } as const;

/** Without zeros, so that the file of all cases is shorter. */
const frameOf = (links: readonly Bytes[], text: string, parts: readonly HexPart[]) =>
  concat(
    Uint8Array.of(0xf8, links.length),
    ...links,
    tuple(text),
    Uint8Array.of(parts.length),
    ...parts.flatMap(({ kind, body }) => [Uint8Array.of(kind), tuple(unhex(body))]),
  );

/** Forms, answers and files in messages: sealed and opened by both sides. */
export async function knownPartCases(): Promise<Draft[]> {
  const forged = async (
    name: string,
    {
      role,
      text = 'text',
      parts,
    }: { readonly role: Role; readonly text?: string; readonly parts: readonly HexPart[] },
    { links = [] as readonly Bytes[], error = 'malformed_frame', reader = other[role] } = {},
  ) =>
    open(name, reader, [await forge({ name, role, frame: frameOf(links, text, parts) })], error || undefined);
  const accepted = valid.map(async ([name, role, parts, text = '']) => {
    const { record, draft } = await seal(name, role, text, [], { parts });
    return [draft, await open(name, other[role], [record])];
  });
  const rejected = refused.map(async ([name, role, parts]) => {
    const { draft } = await seal(name, role, 'text');
    const input = { ...draft.input, parts } as never;
    return [
      await forged(name, { role, parts }),
      { ...draft, kind: 'seal', input, error: 'invalid_input' } as Draft,
    ];
  });
  const long = [form('x'.repeat(8_193))];
  return [
    ...(await Promise.all(accepted)).flat(),
    ...(await Promise.all(rejected)).flat(),
    await forged(
      'a form that is longer than one that may be sent',
      { role: 'consumer', parts: long },
      { error: '' },
    ),
    await forged(
      "a form in one's own message",
      { role: 'provider', parts: [form(approval)] },
      { reader: 'provider' },
    ),
    await forged(
      'a malformed part in a message with a link to nothing',
      { role: 'consumer', parts: [form(notUtf8)] },
      { links: [seeded('nowhere')] },
    ),
    ...(await answers()),
    ...(await sizes()),
  ];
}

/** What `of` names: the submit or a message, with the answer to each. */
async function answers(): Promise<Draft[]> {
  const accept = '{"action":"accept","content":{},"decidedAt":"2026-11-23T12:00:00Z"}';
  const first = await seal('an answer to the form of the submit', 'provider', 'Go on.', [], {
    parts: [answer(unhex(await submission), accept)],
  });
  const asked = await seal('another form', 'consumer', 'And this one?', [first.record], {
    parts: [form(approval)],
  });
  const second = await seal(
    'an answer to the form of a message',
    'provider',
    '',
    [first.record, asked.record],
    {
      parts: [answer(unhex(asked.link), decline)],
    },
  );
  const talk = [first.record, asked.record, second.record];
  return [
    ...[first, asked, second].map(({ draft }) => draft),
    await open('answers to both forms, by the agent', 'consumer', talk),
    await open("answers to both forms, by the expert's other device", 'provider', talk),
  ];
}

async function sizes(): Promise<Draft[]> {
  const zeros = (name: string, length: number) =>
    seal(name, 'provider', 'text', [], { parts: [part(200, new Uint8Array(length))] });
  const full = await zeros('with a part, full to the last byte of the padding', 1_008);
  const next = await zeros('with a part, a byte longer than the padding', 1_009);
  const { draft } = await seal('with a part that is a byte too long', 'consumer', 'text');
  return [
    full.draft,
    next.draft,
    {
      ...draft,
      input: { ...draft.input, parts: [{ kind: 200, body: '00', times: 783_985 }] },
      error: 'message_too_large',
    } as Draft,
    ...writing,
  ];
}

const of = hex(nothing);
const named = { name: 'a', mediaType: 'a/b' };

const written = (name: string, role: Role, rest: object, error?: string): Draft => ({
  name: `writing parts: ${name}`,
  kind: 'parts',
  input: { role, ...rest },
  ...(error && { error }),
});

/** What a sender may send. A reader accepts more. */
const writing: readonly Draft[] = [
  written('none', 'consumer', {}),
  written('a form and two files', 'consumer', {
    form: approval,
    files: [
      { name: 'a screen.png', mediaType: 'image/png', bytes: '895000ff' },
      { ...named, bytes: '' },
    ],
  }),
  written('an answer and a file', 'provider', {
    answer: { of, json: decline },
    files: [{ ...named, bytes: '00' }],
  }),
  written('a form of 8,192 bytes', 'consumer', { form: 'é', times: 4_096 }),
  written(
    'a form of 8,194 bytes in 4,097 characters',
    'consumer',
    { form: 'é', times: 4_097 },
    'invalid_input',
  ),
  written('a form of 8,193 bytes', 'consumer', { form: 'x', times: 8_193 }, 'invalid_input'),
  written('an answer of 65,536 bytes', 'provider', { answer: { of, json: 'x' }, times: 65_536 }),
  written(
    'an answer of 65,537 bytes',
    'provider',
    { answer: { of, json: 'x' }, times: 65_537 },
    'invalid_input',
  ),
  written('700,000 bytes of files', 'consumer', {
    files: [
      { ...named, bytes: 'aa' },
      { ...named, bytes: 'bb' },
    ],
    times: 350_000,
  }),
  written(
    '700,001 bytes',
    'consumer',
    { files: [{ ...named, bytes: '00' }], times: 700_001 },
    'message_too_large',
  ),
  written(
    'files that have too many bytes together',
    'provider',
    {
      files: [
        { ...named, bytes: 'aa' },
        { ...named, bytes: 'bb' },
      ],
      times: 350_001,
    },
    'message_too_large',
  ),
  written('an `of` of 31 bytes', 'provider', { answer: { of: of.slice(2), json: '{}' } }, 'invalid_input'),
  written('an `of` of 33 bytes', 'provider', { answer: { of: `${of}00`, json: '{}' } }, 'invalid_input'),
  written('half a character in a form', 'consumer', { form: '"\ud83d"' }, 'invalid_input'),
  written('half a character in an answer', 'provider', { answer: { of, json: '"\udc00"' } }, 'invalid_input'),
  written(
    'half a character in a name',
    'consumer',
    { files: [{ ...named, name: '\ud83d', bytes: '' }] },
    'invalid_input',
  ),
  written('a form of the expert', 'provider', { form: approval }, 'invalid_input'),
  written('an answer of the agent', 'consumer', { answer: { of, json: decline } }, 'invalid_input'),
  written('nine files', 'consumer', { files: Array(9).fill({ ...named, bytes: '' }) }, 'invalid_input'),
];
