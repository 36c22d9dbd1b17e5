import { restoreAgentKeys } from '../../../crypto/agent-keys.ts';
import { toBase64 } from '../../../crypto/base64.ts';
import { writeFrame } from '../../../crypto/frame.ts';
import type { MessageRecord } from '../../../crypto/message.ts';
import type { Draft, Shown } from '../case.ts';
import { signCofactored, signWithSecondSpelling } from '../edwards.ts';
import { forge } from '../forge.ts';
import { agent, expertPem, expertSide, otherRequestId, strangeAgent, strangeRoot } from '../people.ts';
import { runCase } from '../run-case.ts';
import { hex, seeded, seededId } from '../seeded.ts';
import { open, seal, toSeal } from './messages.ts';

type Change = (record: MessageRecord) => unknown;

const blob =
  (member: keyof MessageRecord['encrypted'], change: (text: string) => unknown): Change =>
  (record) => ({ ...record, encrypted: { ...record.encrypted, [member]: change(record.encrypted[member]) } });
const cut = (text: string) => Buffer.from(text, 'base64').subarray(1).toString('base64');
const grow = (text: string) => Buffer.concat([Buffer.from(text, 'base64'), Buffer.of(0)]).toString('base64');
const flip = (text: string) => {
  const bytes = Buffer.from(text, 'base64');
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  return bytes.toString('base64');
};

const changes: [name: string, error: string, change: Change][] = [
  ['a role that is none', 'malformed_message', (record) => ({ ...record, role: 'relay' })],
  ['a messageId that is no UUID', 'malformed_message', (record) => ({ ...record, messageId: '1' })],
  ['no blob', 'malformed_message', ({ encrypted: _, ...record }) => record],
  ['no signature', 'malformed_message', ({ signature: _, ...record }) => record],
  ['an iv of 11 bytes', 'malformed_message', blob('iv', cut)],
  ['an iv of 13 bytes', 'malformed_message', blob('iv', grow)],
  ['a tag of 15 bytes', 'malformed_message', blob('tag', cut)],
  ['a key of 33 bytes', 'malformed_message', blob('ephemeralPublicKey', grow)],
  [
    'a signature of 63 bytes',
    'malformed_message',
    (record) => ({ ...record, signature: cut(record.signature) }),
  ],
  ['base64 without padding', 'malformed_message', blob('tag', (text) => text.replace(/=+$/, ''))],
  ['base64 with unused bits set', 'malformed_message', blob('tag', (text) => text.replace(/.==$/, 'B=='))],
  ['base64 with a line break', 'malformed_message', blob('iv', (text) => `${text}\n`)],
  ['base64 for URLs', 'malformed_message', blob('ciphertext', (text) => `_-_-${text}`)],
  ['a number for a member', 'malformed_message', blob('iv', () => 12)],
  ["shown as the other side's", 'wrong_role', (record) => ({ ...record, role: 'provider' })],
  ['a key that nobody has', 'wrong_sender_key', blob('ephemeralPublicKey', flip)],
  ['its ciphertext altered', 'wrong_signature', blob('ciphertext', flip)],
  ['its ciphertext cut', 'wrong_signature', blob('ciphertext', cut)],
  ['its iv altered', 'wrong_signature', blob('iv', flip)],
  ['its tag altered', 'wrong_signature', blob('tag', flip)],
  [
    'its signature altered',
    'wrong_signature',
    (record) => ({ ...record, signature: flip(record.signature) }),
  ],
  [
    'the case of its messageId',
    'wrong_signature',
    (record) => ({ ...record, messageId: record.messageId.toUpperCase() }),
  ],
  [
    'another messageId',
    'wrong_signature',
    (record) => ({ ...record, messageId: '00000000-0000-4000-8000-000000000000' }),
  ],
  [
    'a second spelling of its signature',
    'wrong_signature',
    (record) => ({ ...record, signature: addOrder(record.signature) }),
  ],
];

export async function refusedMessages(): Promise<Draft[]> {
  const { record } = await seal('what is altered', 'consumer', 'Which one, the first or the second?');
  const altered = changes.map(([name, error, change]) =>
    open(name, 'provider', [change(record) as MessageRecord], error),
  );
  const frame = writeFrame([], Buffer.from('text'));
  const stranger = await restoreAgentKeys(strangeAgent);
  const own = await restoreAgentKeys(agent);
  const forged = async (name: string, error: string, rest: Partial<Parameters<typeof forge>[0]>) =>
    open(name, 'provider', [await forge({ name, role: 'consumer', frame, ...rest })], error);
  const malformed = (name: string, ...bytes: number[]) =>
    forged(name, 'malformed_frame', { frame: Uint8Array.from(bytes) });
  const text = (name: string, bytes: number[]) =>
    malformed(name, 0xf8, 0, 0, 0, 0, bytes.length, ...bytes, 0);
  const seed = Buffer.from(agent.sign, 'base64');
  return [
    ...(await Promise.all(altered)),
    await forged('signed by somebody else', 'wrong_signature', { signer: stranger.sign }),
    await forged('of another conversation', 'wrong_sender_key', {
      role: 'provider',
      requestId: otherRequestId,
    }),
    await forged("of another conversation, the agent's keys used twice", 'wrong_signature', {
      requestId: otherRequestId,
    }),
    await forged('made for the other role', 'wrong_signature', { boundRole: 'provider', signer: own.sign }),
    await forged("bound to another signing key of the expert's", 'wrong_signature', {
      providerSign: (await expertPem(strangeRoot)).sign,
    }),
    await forged("encrypted for another signing key of the expert's", 'undecryptable', {
      providerSign: (await expertPem(strangeRoot)).sign,
      keyOnly: true,
    }),
    await forged('bound to another question', 'wrong_signature', { submission: hex(seeded('question')) }),
    await forged('bound to other versions', 'wrong_signature', { versions: Uint8Array.of(4, 5) }),
    await forged('signed for this question, and encrypted for another', 'undecryptable', {
      submission: hex(seeded('question')),
      keyOnly: true,
    }),
    await forged('a signature that only holds with the cofactor', 'wrong_signature', {
      signer: async (bytes) => signCofactored(seed, bytes),
    }),
    await forged('a signature whose R is a second spelling', 'wrong_signature', {
      signer: async (bytes) => signWithSecondSpelling(seed, bytes),
    }),
    await malformed('a frame of a later version', 0xf9, 0, 0, 0, 0, 1, 0x48, 0),
    await malformed('a frame of 0xFF', 0xff),
    await malformed('a frame without its count of links', 0xf8),
    await malformed('a frame that is cut off in a link', 0xf8, 1, ...seeded('', 31)),
    await malformed('a frame that is cut off in its length', 0xf8, 0, 0, 0, 0),
    await malformed('a frame that is cut off in its text', 0xf8, 0, 0, 0, 0, 3, 0x48, 0x69),
    await malformed('a frame whose length is far beyond it', 0xf8, 0, 0xff, 0, 0, 1, 0x48),
    await malformed('a frame whose length is the largest of all', 0xf8, 0, 0xff, 0xff, 0xff, 0xff, 0, 0),
    await malformed(
      'a frame with a byte that is not zero at its end',
      0xf8,
      0,
      0,
      0,
      0,
      1,
      0x48,
      0,
      ...Array(200).fill(0),
      1,
    ),
    await text('a text of 0xFF', [0xff]),
    await text('a text that stops within a character', [0xe2, 0x82]),
    await text('a character in too many bytes', [0xc0, 0x80]),
    await text('half a character', [0xed, 0xa0, 0x80]),
    await text('a character above the last', [0xf4, 0x90, 0x80, 0x80]),
    await malformed("a plain client's text that is no UTF-8", 0x80),
    ...(await tooEarly()),
    ...(await places()),
    ...(await refusedTexts()),
  ];
}

/** Messages in the wrong place. */
async function places(): Promise<Draft[]> {
  const one = await seal('the first', 'consumer', 'one');
  const two = await seal('the second', 'consumer', 'two', [one.record]);
  const three = await seal('the third', 'provider', 'three', [one.record, two.record]);
  const [a, b, c] = [one.record, two.record, three.record];
  const { record: x } = await seal('one of two that crossed', 'provider', 'x', [a]);
  const { record: y } = await seal('the other of two that crossed', 'provider', 'y', [a]);
  const { record: z } = await seal('behind two that crossed', 'provider', 'z', [a, x, y]);
  const wrong = (name: string, records: Parameters<typeof open>[2], error = 'message_missing') =>
    open(name, 'consumer', records, error);
  const frame = writeFrame([seeded('nowhere')], Buffer.from('text'));
  return await Promise.all([
    wrong('the first message dropped', [b]),
    wrong('a message between dropped', [a, c]),
    wrong('an answer before its question', [c]),
    wrong('the first of two that crossed dropped', [a, y, z]),
    wrong('the second of two that crossed dropped', [a, x, z]),
    wrong('a link to nothing', [await forge({ name: 'lost', role: 'provider', frame })]),
    wrong("two of one's own in another order than they were sealed", [
      toSeal('own one', 'one'),
      toSeal('own two', 'two'),
      (await seal('own two', 'consumer', 'two', [(await seal('own one', 'consumer', 'one')).record])).record,
    ]),
    wrong("one of one's own, and then once more", [toSeal('the first', 'one'), a, a], 'message_replayed'),
    wrong('a message once more', [a, b, a], 'message_replayed'),
    wrong('a message twice at once', [a, a], 'message_replayed'),
  ]);
}

/** Messages before there are keys, and of no side. */
async function tooEarly(): Promise<Draft[]> {
  const { peer: _, keySignature: __, ...early } = await expertSide();
  const { record } = await seal('what comes too early', 'consumer', 'Now?');
  const plain = { role: 'relay', messageId: seededId('plain text'), plaintext: 'Yes.' };
  return [
    await open(
      'plain text of a role that is none',
      'consumer',
      [plain as unknown as Shown],
      'malformed_message',
    ),
    {
      name: 'opening: an encrypted message before a key exchange',
      kind: 'open',
      input: { side: early, records: [record] },
      error: 'undecryptable',
    },
  ];
}

async function refusedTexts(): Promise<Draft[]> {
  const { draft } = await seal('a text', 'consumer', 'text');
  if (draft.kind !== 'seal') return [];
  const { side } = draft.input;
  const ownKeys = await runCase('agent-keys', agent);
  const refusePeer = (name: string, peer: typeof ownKeys): Draft => ({
    ...draft,
    name: `sealing: ${name}`,
    input: { ...draft.input, side: { ...side, peer } },
    error: 'invalid_public_key',
  });
  const refuse = (name: string, text: string, error = 'invalid_input'): Draft => ({
    ...draft,
    name: `sealing: ${name}`,
    input: { ...draft.input, text },
    error,
  });
  return [
    refusePeer("for one's own keys", ownKeys),
    refusePeer("for one's own agreement key", { ...(await expertPem()), encrypt: ownKeys.encrypt }),
    refuse('half a character in front', '\udc00text'),
    refuse('half a character at the end', 'text\ud83d'),
    refuse('an empty text without parts', ''),
    // With the marker, the number of links, the length and the number of parts, it has 784,001 bytes.
    {
      ...draft,
      name: 'sealing: a text that is a byte too long',
      input: { ...draft.input, text: 'a', times: 783_994 },
      error: 'message_too_large',
    },
    {
      ...draft,
      name: 'sealing: a messageId that is no UUID',
      input: { ...draft.input, messageId: hex(seeded('id', 16)) },
      error: 'invalid_input',
    },
  ];
}

/** The order of the group added to the second half: the same equation, unless the verifier looks for it. */
function addOrder(signature: string): string {
  const bytes = Buffer.from(signature, 'base64');
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const half = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order;
  const spelled = Buffer.from(half.toString(16).padStart(64, '0'), 'hex').reverse();
  return toBase64(Buffer.concat([bytes.subarray(0, 32), spelled]));
}
