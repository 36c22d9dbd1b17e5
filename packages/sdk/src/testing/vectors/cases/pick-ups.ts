import { exchangeBytes } from '../../../crypto/key-exchange.ts';
import { parsePublicKey } from '../../../crypto/public-key.ts';
import { agentKeys, expertKeys, requestId, root, submission } from '../people.ts';
import { seeded, unhex } from '../seeded.ts';

/* Exchanges of one expert that differ in what was signed. */

/**
 * A `keySignature` with any versions, in hex. They are signed unless `signed` names others, by the expert and
 * with the expert's agreement key unless others are given.
 */
export async function signVersions(
  versions: string,
  { signed = versions, encrypt, of = root }: { signed?: string; encrypt?: string; of?: string } = {},
): Promise<string> {
  const [consumer, provider] = [await agentKeys(), await expertKeys(of)];
  const digest = unhex(await submission);
  const keys = {
    consumer: { sign: consumer.signPublic, encrypt: consumer.encryptPublic },
    provider: {
      sign: provider.signPublic,
      encrypt: encrypt ? parsePublicKey(encrypt, 'encrypt') : provider.encryptPublic,
    },
  };
  const bytes = exchangeBytes(requestId, keys, digest, unhex(signed));
  return Buffer.concat([digest, await provider.sign(bytes), unhex(versions)]).toString('base64');
}

/** Versions of another form, or signed as others. All are in hex. */
export const wrongVersions: readonly (readonly [name: string, versions: string, signed?: string])[] = [
  ['no versions', ''],
  ['versions in descending order', '0504'],
  ['a version twice', '0404'],
  ['17 versions', Array.from({ length: 17 }, (_, n) => (n + 1).toString(16).padStart(2, '0')).join('')],
  ['a version added on the way', '0405', '04'],
  ['a version removed on the way', '04', '0405'],
];

/** Versions of clients that this one cannot talk to. */
export const otherVersions: readonly (readonly [name: string, versions: string])[] = [
  ['only a later version', '05'],
  ['versions before and after this one', '030506'],
];

export const someBytes = (name: string, length: number): string =>
  Buffer.from(seeded(name, length)).toString('base64');
