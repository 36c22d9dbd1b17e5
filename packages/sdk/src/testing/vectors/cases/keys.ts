import { openExpertKeys } from '../../../crypto/index.ts';
import type { Draft } from '../case.ts';
import { agent, agentPem, expertPem, otherRequestId, requestId, root } from '../people.ts';
import { unhex } from '../seeded.ts';

const start = { sign: '302a300506032b6570032100', encrypt: '302a300506032b656e032100' };
const block = (base64: string) => `-----BEGIN PUBLIC KEY-----\n${base64}\n-----END PUBLIC KEY-----\n`;
const pemOf = (kind: 'sign' | 'encrypt', raw: string) =>
  block(Buffer.from(unhex(start[kind] + raw)).toString('base64'));

const last = (byte: string, top: string) => byte + 'ff'.repeat(30) + top;

/** Keys that protect nothing, or that are a second encoding of another key. */
const weak: [name: string, kind: 'sign' | 'encrypt', raw: string][] = [
  ['zero', 'sign', '00'.repeat(32)],
  ['zero', 'encrypt', '00'.repeat(32)],
  ['one', 'sign', `01${'00'.repeat(31)}`],
  ['one, with the sign of x set', 'sign', `01${'00'.repeat(30)}80`],
  ['one', 'encrypt', `01${'00'.repeat(31)}`],
  ['minus one', 'sign', last('ec', '7f')],
  ['of order 8', 'sign', '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'],
  ['of order 8, negated', 'sign', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa'],
  ['of order 8', 'encrypt', 'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800'],
  ['the prime, which is zero', 'encrypt', last('ed', '7f')],
  ['the prime and three, which is three', 'sign', last('f0', '7f')],
  ['the prime and nine, which is nine', 'encrypt', last('f6', '7f')],
  ['nine with the top bit set', 'encrypt', `09${'00'.repeat(30)}80`],
];

export async function keyCases(): Promise<Draft[]> {
  const { sign: pem, encrypt } = await agentPem();
  const base64 = pem.split('\n')[1] ?? '';
  const key = (name: string, text: string, error?: string): Draft => ({
    name: `a public key: ${name}`,
    kind: 'public-key',
    input: { kind: 'sign', pem: text },
    ...(error && { error }),
  });
  const refused = (name: string, text: string) => key(name, text, 'invalid_public_key');
  return [
    ...(await fingerprintCases()),
    { name: 'the keys of an agent', kind: 'agent-keys', input: agent },
    {
      name: 'the keys of an agent, one of them cut short',
      kind: 'agent-keys',
      input: { ...agent, sign: agent.sign.slice(4) },
      error: 'invalid_input',
    },
    { name: "an expert's keys of a conversation", kind: 'expert', input: { root, requestId } },
    {
      name: "the same expert's of another: another agreement key, the same identity",
      kind: 'expert',
      input: { root, requestId: otherRequestId },
    },
    { name: 'an expert with a root of zeros', kind: 'expert', input: { root: '00'.repeat(32), requestId } },
    key('Ed25519', pem),
    { name: 'a public key: X25519', kind: 'public-key', input: { kind: 'encrypt', pem: encrypt } },
    key('with other line ends and space around', ` \n${pem.replaceAll('\n', '\r\n')}\n\n`),
    key('of 1,000 characters', pem.padEnd(1_000)),
    key('in several lines, with tabs and spaces within', block(base64.replaceAll(/.{20}/g, '$&\t\r\n '))),
    key('in several lines', block(base64.replaceAll(/.{20}/g, '$&\n'))),
    refused('none', ''),
    refused('the other algorithm', encrypt),
    refused('a private one', pem.replaceAll('PUBLIC', 'PRIVATE')),
    refused('of 1,001 characters', pem.padEnd(1_001)),
    ...['\u000b', '\u000c', '\u0085', '\u00a0', '\u2028', '\ufeff'].map((space) =>
      refused(
        `white space that is none, U+${space.charCodeAt(0).toString(16).padStart(4, '0')}`,
        pem + space,
      ),
    ),
    refused('no white space between its lines', pem.replaceAll('\n', '')),
    refused('two blocks', pem + pem),
    refused('something before it', `x${pem}`),
    refused('something behind it', `${pem}x`),
    refused('bare base64', base64),
    refused(
      'base64 for URLs',
      pem.replace(base64, base64.replaceAll('+', '-').replaceAll('/', '_').replace('MC', 'M_')),
    ),
    refused('a byte more', pemOf('sign', `${'11'.repeat(32)}00`)),
    refused('a byte less', pemOf('sign', '11'.repeat(31))),
    refused(
      'unused bits of its base64 set',
      pem.replace(/.=\n/, (end) => `${nextTo(end[0])}=\n`),
    ),
    ...weak.map(
      ([name, kind, raw]): Draft => ({
        name: `a public key of ${kind === 'sign' ? 'Ed25519' : 'X25519'}: ${name}`,
        kind: 'public-key',
        input: { kind, pem: pemOf(kind, raw) },
        error: 'invalid_public_key',
      }),
    ),
    {
      name: 'the same keys, seen again',
      kind: 'check-unchanged',
      input: { first: await expertPem(), later: await expertPem() },
    },
    {
      name: 'the same keys, seen again with other line ends',
      kind: 'check-unchanged',
      input: { first: await expertPem(), later: withOtherLineEnds(await expertPem()) },
    },
    {
      name: 'the keys are gone',
      kind: 'check-unchanged',
      input: { first: await expertPem(), later: null },
      error: 'keys_changed',
    },
    {
      name: 'another agreement key than before',
      kind: 'check-unchanged',
      input: { first: await expertPem(), later: await expertPem(root, otherRequestId) },
      error: 'keys_changed',
    },
    {
      name: 'another signing key than before',
      kind: 'check-unchanged',
      input: { first: await expertPem(), later: { ...(await expertPem()), sign: pem } },
      error: 'keys_changed',
    },
  ];
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The character with its last bit set. */
function nextTo(character = ''): string {
  return alphabet[alphabet.indexOf(character) | 1] ?? '';
}

const withOtherLineEnds = ({ sign, encrypt }: Awaited<ReturnType<typeof expertPem>>) => ({
  sign: sign.replaceAll('\n', '\r\n'),
  encrypt: encrypt.replaceAll('\n', '\r\n'),
});

async function fingerprintCases(): Promise<Draft[]> {
  const { fingerprint } = await openExpertKeys(unhex(root));
  const typed = (name: string, text: string, error?: string): Draft => ({
    name: `a fingerprint ${name}`,
    kind: 'fingerprint',
    input: { typed: text },
    ...(error && { error }),
  });
  const inOtherDigits = fingerprint.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit)));
  return [
    typed('as typed', ` ${fingerprint.replaceAll(' ', '-')}.`),
    typed('of 39 digits', fingerprint.slice(0, -1), 'invalid_input'),
    typed('of 41 digits', `${fingerprint}0`, 'invalid_input'),
    typed('in digits of another script', inOtherDigits, 'invalid_input'),
  ];
}
