import type { Exchange } from '../../../crypto/key-exchange.ts';
import type { Draft, Kinds, PemKeys } from '../case.ts';
import {
  agentPem,
  asked,
  expertPem,
  otherRequestId,
  requestId,
  root,
  signed,
  strangeAgent,
  strangeRoot,
  submission,
} from '../people.ts';
import { runCase } from '../run-case.ts';
import { otherVersions, signVersions, someBytes, wrongVersions } from './pick-ups.ts';
import { otherQuestions } from './submissions.ts';

interface Rest {
  readonly known?: readonly string[];
  readonly acceptUnprotected?: boolean;
  readonly error?: string;
}

/** Key exchanges as the agent checks them, and as the expert's other device does. */
export async function exchangeCases(): Promise<Draft[]> {
  const digest = await submission;
  const [own, strange, provider] = [await agentPem(), await agentPem(strangeAgent), await expertPem()];
  const unsigned = { providerSignPubKey: provider.sign, providerEncryptPubKey: provider.encrypt };
  const good = { ...unsigned, keySignature: await signed() };
  const { fingerprint: known } = await runCase('expert', { root, requestId });
  const { fingerprint: another } = await runCase('expert', { root: strangeRoot, requestId });
  const foreign = await expertPem(strangeRoot);

  const check = (name: string, exchange: Exchange, { error, ...rest }: Rest = {}): Draft => ({
    name: `a key exchange: ${name}`,
    kind: 'check-exchange',
    input: { requestId, own, submission: digest, exchange, ...rest } as Kinds['check-exchange'][0],
    ...(error && { error }),
  });
  const pickUp = (name: string, exchange: Exchange, error?: string): Draft => ({
    name: `a pick-up found by another device: ${name}`,
    kind: 'check-pick-up',
    input: { root, requestId, consumer: own, submission: digest, exchange },
    ...(error && { error }),
  });
  const both = (name: string, exchange: Exchange, error: string, ofDevice = error) => [
    check(name, exchange, { error }),
    pickUp(name, exchange, ofDevice),
  ];
  const wrong = (name: string, exchange: Exchange) =>
    both(name, exchange, 'key_signature_wrong', 'keys_changed');
  const withProof = (proof: Uint8Array) => ({
    ...unsigned,
    keySignature: Buffer.from(proof).toString('base64'),
  });
  const versioned = async (...versions: Parameters<typeof signVersions>) => ({
    ...unsigned,
    keySignature: await signVersions(...versions),
  });
  const signedFor = async (consumer: PemKeys, id = requestId, question = digest) => {
    const input = { root, requestId: id, consumer, submission: question };
    return { ...unsigned, keySignature: (await runCase('sign-exchange', input)).keySignature };
  };
  const shown = async ([name, other]: (typeof otherQuestions)[number]) => {
    const { submission: question } = await runCase('submission', other);
    return both(
      `the expert was shown ${name}`,
      await signedFor(own, requestId, question),
      'question_altered',
    );
  };
  const proof = Buffer.from(good.keySignature, 'base64');
  const { submission: otherQuestion } = await runCase('submission', { ...asked, question: '' });
  const altered = await signedFor(own, requestId, otherQuestion);

  return [
    {
      name: 'what an expert signs when picking up',
      kind: 'sign-exchange',
      input: { root, requestId, consumer: own, submission: digest },
    },
    check('the expert that was expected', good, { known: [known] }),
    check('the same, with the fingerprint typed without spaces', good, {
      known: [known.replaceAll(' ', '')],
    }),
    check('the second of the experts that are expected', good, { known: [another, known] }),
    check('the first of the experts that are expected', good, { known: [known, another] }),
    check('first contact', good),
    check('first contact, with an empty list', good, { known: [] }),
    check('with a later version besides', await versioned('0405')),
    check('with an earlier version besides', await versioned('0304'), { known: [known] }),
    check('with 16 versions', await versioned('0102030405060708090a0b0c0d0e0fff')),
    check('a plain client, accepted', unsigned, { acceptUnprotected: true }),
    check(
      'a plain client that says so with null, accepted',
      { ...unsigned, keySignature: null } as Exchange,
      {
        acceptUnprotected: true,
      },
    ),
    check('a plain client', unsigned, { error: 'key_signature_missing' }),
    check('a plain client that says so with null', { ...unsigned, keySignature: null } as Exchange, {
      error: 'key_signature_missing',
    }),
    check('nothing signed, by the one that was expected', unsigned, {
      known: [known],
      acceptUnprotected: true,
      error: 'key_signature_missing',
    }),
    check('nothing signed, by another than expected', unsigned, {
      known: [another],
      acceptUnprotected: true,
      error: 'unknown_expert',
    }),
    check('another expert than the one that was expected', good, {
      known: [another],
      error: 'unknown_expert',
    }),
    check('none of two experts that were expected', good, {
      known: [another, digitsOf(another)],
      error: 'unknown_expert',
    }),
    check('another expert, and another question', altered, { known: [another], error: 'unknown_expert' }),
    check('another question, to an agent that knows the expert', altered, {
      known: [known],
      error: 'question_altered',
    }),
    check('a fingerprint cut short', good, { known: [known.slice(0, 23)], error: 'invalid_input' }),
    check('a fingerprint cut short behind the right one', good, {
      known: [known, another.slice(0, 23)],
      error: 'invalid_input',
    }),
    ...(await Promise.all(otherQuestions.map(shown))).flat(),

    pickUp('by this device', good),
    pickUp('by one with a later version besides', await versioned('0405')),
    pickUp('by another expert', { ...good, providerSignPubKey: foreign.sign }, 'keys_changed'),
    pickUp('nothing signed', unsigned, 'keys_changed'),
    pickUp(
      "by another expert, with this one's agreement key",
      {
        ...(await versioned('04', { of: strangeRoot, encrypt: provider.encrypt })),
        providerSignPubKey: foreign.sign,
      },
      'keys_changed',
    ),
    pickUp(
      'only a later version, by another expert',
      { ...(await versioned('05', { of: strangeRoot })), providerSignPubKey: foreign.sign },
      'keys_changed',
    ),
    pickUp(
      "another agreement key, with the expert's signature",
      { ...(await versioned('04', { encrypt: foreign.encrypt })), providerEncryptPubKey: foreign.encrypt },
      'keys_changed',
    ),
    pickUp(
      'another agreement key, and another question',
      { ...altered, providerEncryptPubKey: foreign.encrypt },
      'keys_changed',
    ),

    ...wrong('another digest before the signature', withProof(flipAt(proof, 0))),
    ...wrong('a signature with a bit flipped', withProof(flipAt(proof, 32))),
    ...wrong('the digest without its signature', withProof(proof.subarray(0, 32))),
    ...wrong('the signature without its digest', withProof(proof.subarray(32))),
    ...wrong('bytes of the right length, all random', {
      ...unsigned,
      keySignature: `${someBytes('proof', 96)}BA==`,
    }),
    ...wrong('an empty signature', { ...unsigned, keySignature: '' }),
    ...wrong('a signature with a line break', { ...unsigned, keySignature: `${good.keySignature}\n` }),
    ...wrong("the agent's signing key was swapped", await signedFor({ ...own, sign: strange.sign })),
    ...wrong("the agent's agreement key was swapped", await signedFor({ ...own, encrypt: strange.encrypt })),
    ...wrong("the expert's agreement key was swapped", { ...good, providerEncryptPubKey: foreign.encrypt }),
    check(
      "the expert's identity was swapped",
      { ...good, providerSignPubKey: foreign.sign },
      {
        error: 'key_signature_wrong',
      },
    ),
    ...wrong('signed for another conversation', await signedFor(own, otherRequestId)),
    ...(
      await Promise.all(
        wrongVersions.map(async ([name, versions, as]) =>
          wrong(name, await versioned(versions, as === undefined ? {} : { signed: as })),
        ),
      )
    ).flat(),
    ...(
      await Promise.all(
        otherVersions.map(async ([name, versions]) =>
          both(name, await versioned(versions), 'unsupported_version'),
        ),
      )
    ).flat(),
    ...both(
      'only a later version, and a signature of other bytes',
      await versioned('05', { signed: '04' }),
      'unsupported_version',
    ),
    check('only a later version, of another expert', await versioned('05'), {
      known: [another],
      error: 'unknown_expert',
    }),
    pickUp(
      'only a later version, with its own agreement key',
      { ...(await versioned('05')), providerEncryptPubKey: foreign.encrypt },
      'unsupported_version',
    ),
    ...(await ownKeysSentBack(own, good, check)),
  ];
}

function ownKeysSentBack(
  own: PemKeys,
  good: Exchange,
  check: (name: string, exchange: Exchange, rest: Rest) => Draft,
): Draft[] {
  const { providerSignPubKey, providerEncryptPubKey } = good;
  const exchanges: [string, Exchange][] = [
    ["the agent's own keys sent back", { providerSignPubKey: own.sign, providerEncryptPubKey: own.encrypt }],
    ["the agent's own signing key sent back", { providerSignPubKey: own.sign, providerEncryptPubKey }],
    ["the agent's own agreement key sent back", { providerSignPubKey, providerEncryptPubKey: own.encrypt }],
    [
      "keys in each other's place",
      { providerSignPubKey: providerEncryptPubKey, providerEncryptPubKey: providerSignPubKey },
    ],
  ];
  return exchanges.map(([name, exchange]) =>
    check(name, exchange, { acceptUnprotected: true, error: 'invalid_public_key' }),
  );
}

const digitsOf = (fingerprint: string): string => fingerprint.replaceAll(' ', '');

function flipAt(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));
}
