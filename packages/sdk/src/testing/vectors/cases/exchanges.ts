import type { Exchange } from '../../../crypto/index.ts';
import type { Draft, PemKeys } from '../case.ts';
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

export async function exchangeCases(): Promise<Draft[]> {
  const own = await agentPem();
  const strange = await agentPem(strangeAgent);
  const good = await pickUp(root, own);
  const { fingerprint: known } = await runCase('expert', { root, requestId });
  const { fingerprint: another } = await runCase('expert', { root: strangeRoot, requestId });
  const { keySignature: _, ...unsigned } = good;
  const check = (name: string, exchange: Exchange, rest: { known?: string; error?: string } = {}): Draft => ({
    name: `a key exchange: ${name}`,
    kind: 'check-exchange',
    input: { requestId, own, exchange, ...(rest.known && { known: rest.known }) },
    ...(rest.error && { error: rest.error }),
  });
  const swapped = (name: string, exchange: Exchange) =>
    check(name, exchange, { error: 'key_signature_wrong' });
  const signedFor = async (consumer: PemKeys, id = requestId) => {
    const { keySignature } = await runCase('sign-exchange', { root, requestId: id, consumer });
    return { ...unsigned, keySignature };
  };
  return [
    {
      name: 'what an expert signs when picking up',
      kind: 'sign-exchange',
      input: { root, requestId, consumer: own },
    },
    check('the expert that was expected', good, { known }),
    check('the same, with the fingerprint typed without spaces', good, { known: known.replaceAll(' ', '') }),
    check('first contact', good),
    check('a plain client at first contact', unsigned),
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
    swapped('a signature with a bit flipped', {
      ...good,
      keySignature: `${good.keySignature[0] === 'A' ? 'B' : 'A'}${good.keySignature.slice(1)}`,
    }),
    swapped('a signature without its padding', {
      ...good,
      keySignature: good.keySignature.replace(/=+$/, ''),
    }),
    check(
      "the agent's own keys sent back",
      { providerSignPubKey: own.sign, providerEncryptPubKey: own.encrypt },
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

async function pickUp(of: string, consumer: PemKeys) {
  const { sign, encrypt } = await runCase('expert', { root: of, requestId });
  const { keySignature } = await runCase('sign-exchange', { root: of, requestId, consumer });
  return { providerSignPubKey: sign, providerEncryptPubKey: encrypt, keySignature };
}
