import type { Exchange } from '../../../crypto/index.ts';
import type { Draft, Kinds, PemKeys } from '../case.ts';
import {
  agent,
  agentPem,
  expertPem,
  otherRequestId,
  requestId,
  root,
  strangeAgent,
  strangeRoot,
} from '../people.ts';
import { runCase } from '../run-case.ts';

/** The question of most cases. */
const asked = {
  question: 'May I delete the test database?',
  messages: [
    { role: 'user', content: 'The disk is full.' },
    { role: 'assistant', content: 'Which one? \u{1f418}' },
  ],
};

export async function exchangeCases(): Promise<Draft[]> {
  const { submission } = await runCase('submission', asked);
  const own = await agentPem();
  const strange = await agentPem(strangeAgent);
  const good = await pickUp(root, own);
  const { fingerprint: known } = await runCase('expert', { root, requestId });
  const { fingerprint: another } = await runCase('expert', { root: strangeRoot, requestId });
  const { keySignature: _, ...unsigned } = good;
  const check = (name: string, exchange: Exchange, rest: { known?: string; error?: string } = {}): Draft => ({
    name: `a key exchange: ${name}`,
    kind: 'check-exchange',
    input: { requestId, own, submission, exchange, ...(rest.known && { known: rest.known }) },
    ...(rest.error && { error: rest.error }),
  });
  const bytesOf = ({ keySignature }: { keySignature: string }) => Buffer.from(keySignature, 'base64');
  const withProof = (proof: Uint8Array) => ({
    ...unsigned,
    keySignature: Buffer.from(proof).toString('base64'),
  });
  const swapped = (name: string, exchange: Exchange) =>
    check(name, exchange, { error: 'key_signature_wrong' });
  const signedFor = async (consumer: PemKeys, id = requestId, question = submission) => {
    const input = { root, requestId: id, consumer, submission: question };
    return { ...unsigned, keySignature: (await runCase('sign-exchange', input)).keySignature };
  };
  const shown = async (name: string, other: Kinds['submission'][0], known?: string): Promise<Draft> => {
    const { submission: digest } = await runCase('submission', other);
    return check(`the expert was shown ${name}`, await signedFor(own, requestId, digest), {
      error: 'question_altered',
      ...(known && { known }),
    });
  };
  const [first, second] = asked.messages as [Said, Said];
  return [
    ...submissionCases(),
    {
      name: 'what an expert signs when picking up',
      kind: 'sign-exchange',
      input: { root, requestId, consumer: own, submission },
    },
    await shown('another question', { ...asked, question: 'May I delete the PRODUCTION database?' }),
    await shown('no question, to an agent that knows it', { ...asked, question: '' }, known),
    await shown('a plaintext that nobody wrote', { ...asked, plaintext: 'Go on.' }),
    await shown('the question as the plaintext', { plaintext: asked.question, messages: asked.messages }),
    await shown('another context message', {
      ...asked,
      messages: [first, { ...second, content: 'The test one.' }],
    }),
    await shown('another role', { ...asked, messages: [{ ...first, role: 'assistant' }, second] }),
    await shown('one message less', { ...asked, messages: [second] }),
    await shown('one message more', { ...asked, messages: [...asked.messages, first] }),
    await shown('the messages in another order', { ...asked, messages: [second, first] }),
    swapped('another digest before the signature', withProof(flipAt(bytesOf(good), 0))),
    swapped('the digest without its signature', withProof(bytesOf(good).subarray(0, 32))),
    swapped('the signature without its digest', withProof(bytesOf(good).subarray(32))),
    swapped('a byte more', withProof(Buffer.concat([bytesOf(good), Buffer.of(0)]))),
    check('the expert that was expected', good, { known }),
    check('the same, with the fingerprint typed without spaces', good, { known: known.replaceAll(' ', '') }),
    check('first contact', good),
    check('a plain client at first contact', unsigned),
    check('a plain client that says so with null', { ...unsigned, keySignature: null }),
    check(
      'nothing but null, of the one that was expected',
      { ...unsigned, keySignature: null },
      {
        known,
        error: 'key_signature_missing',
      },
    ),
    check('another expert than the one that was expected', good, { known: another, error: 'unknown_expert' }),
    check('the one that was expected, and nothing signed', unsigned, {
      known,
      error: 'key_signature_missing',
    }),
    check('another than expected, and nothing signed', unsigned, { known: another, error: 'unknown_expert' }),
    check('a fingerprint cut short', good, { known: known.slice(0, 23), error: 'invalid_input' }),
    swapped(
      "the agent's signing key was swapped on its way",
      await signedFor({ ...own, sign: strange.sign }),
    ),
    swapped("the agent's agreement key was swapped", await signedFor({ ...own, encrypt: strange.encrypt })),
    swapped("the expert's agreement key was swapped", {
      ...good,
      providerEncryptPubKey: (await expertPem(strangeRoot)).encrypt,
    }),
    swapped("the expert's identity was swapped", {
      ...good,
      providerSignPubKey: (await expertPem(strangeRoot)).sign,
    }),
    swapped('signed for another conversation', await signedFor(own, otherRequestId)),
    swapped('an empty signature', { ...good, keySignature: '' }),
    swapped('a signature with a bit flipped', withProof(flipAt(bytesOf(good), 32))),
    swapped('a signature with a line break', { ...good, keySignature: `${good.keySignature}\n` }),
    check(
      "the agent's own keys sent back",
      { providerSignPubKey: own.sign, providerEncryptPubKey: own.encrypt },
      { error: 'invalid_public_key' },
    ),
    check(
      "the agent's own signing key sent back",
      { ...unsigned, providerSignPubKey: own.sign },
      { error: 'invalid_public_key' },
    ),
    check(
      "the agent's own agreement key sent back",
      { ...unsigned, providerEncryptPubKey: own.encrypt },
      { error: 'invalid_public_key' },
    ),
    check(
      "keys in each other's place",
      { providerSignPubKey: good.providerEncryptPubKey, providerEncryptPubKey: good.providerSignPubKey },
      { error: 'invalid_public_key' },
    ),
    {
      name: 'a fingerprint as typed',
      kind: 'fingerprint',
      input: { typed: ` ${known.replaceAll(' ', '-')}.` },
    },
    {
      name: 'a fingerprint of 39 digits',
      kind: 'fingerprint',
      input: { typed: known.slice(0, -1) },
      error: 'invalid_input',
    },
    {
      name: 'a fingerprint of 41 digits',
      kind: 'fingerprint',
      input: { typed: `${known}0` },
      error: 'invalid_input',
    },
    {
      name: 'a fingerprint in digits of another script',
      kind: 'fingerprint',
      input: { typed: known.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit))) },
      error: 'invalid_input',
    },
    {
      name: 'the keys of an agent, one of them cut short',
      kind: 'agent-keys',
      input: { ...agent, sign: agent.sign.slice(4) },
      error: 'invalid_input',
    },
  ];
}

type Said = { role: string; content: string };

function submissionCases(): Draft[] {
  const digest = (name: string, input: Kinds['submission'][0]): Draft => ({
    name: `a question: ${name}`,
    kind: 'submission',
    input,
  });
  const said = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      role: n % 2 ? 'assistant' : 'user',
      content: `Message ${n}`,
    }));
  return [
    digest('with two messages', asked),
    digest('nothing at all', { messages: [] }),
    digest('empty texts, which count as absent ones', { question: '', plaintext: '', messages: [] }),
    digest('a plaintext alone', { plaintext: 'May I?', messages: [] }),
    digest('both', { question: 'May I?', plaintext: 'In plain text: may I?', messages: [] }),
    digest('ten messages', { question: 'May I?', messages: said(10) }),
    digest('twelve messages, of which the relay keeps the last ten', {
      question: 'May I?',
      messages: said(12),
    }),
    digest('as it is: nothing is trimmed or normalised', {
      question: ' cafe\u0301\r\n\u0000',
      messages: [{ role: 'User', content: '' }],
    }),
    { ...digest('half a character', { question: '\ud83d', messages: [] }), error: 'invalid_input' },
  ];
}

function flipAt(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));
}

async function pickUp(of: string, consumer: PemKeys) {
  const { sign, encrypt } = await runCase('expert', { root: of, requestId });
  const { submission } = await runCase('submission', asked);
  const { keySignature } = await runCase('sign-exchange', { root: of, requestId, consumer, submission });
  return { providerSignPubKey: sign, providerEncryptPubKey: encrypt, keySignature };
}
