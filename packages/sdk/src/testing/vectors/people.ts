import { restoreAgentKeys } from '../../crypto/agent-keys.ts';
import { openExpertKeys } from '../../crypto/index.ts';
import type { OwnKeys } from '../../crypto/own-keys.ts';
import { parsePublicKey } from '../../crypto/public-key.ts';
import { digestSubmission } from '../../crypto/submission.ts';
import type { Kinds, PemKeys, Side } from './case.ts';
import { hex, seeded, unhex } from './seeded.ts';

/* The agent and the expert of all cases, and another agent and another expert. */

export const requestId = 'hB5rJfVnX0mOqTz3kUw1Zg';
export const otherRequestId = 'Zy8xW7vU6tS5rQ4pO3nM2l';

/** The question of most cases. */
export const asked: Kinds['submission'][0] = {
  refCode: 'HS-7KQ2M9XD',
  agentVersions: '4',
  agentName: 'Deploy bot',
  question: 'May I delete the test database?',
  messages: [
    { role: 'user', content: 'The disk is full.' },
    { role: 'assistant', content: 'Which one? \u{1f418}' },
  ],
};

export const submission: Promise<string> = digestSubmission(asked).then(hex);

const privateKeys = (name: string) => ({
  sign: Buffer.from(seeded(`${name} sign`)).toString('base64'),
  encrypt: Buffer.from(seeded(`${name} encrypt`)).toString('base64'),
});

export const agent = privateKeys('agent');
export const strangeAgent = privateKeys('strange agent');
export const root = hex(seeded('expert root'));
export const strangeRoot = hex(seeded('strange expert root'));

const pem = ({ signPublic, encryptPublic }: OwnKeys): PemKeys => ({
  sign: signPublic.pem,
  encrypt: encryptPublic.pem,
});

/** Each pair of keys is made once, since there are hundreds of messages. */
const made = new Map<string, Promise<OwnKeys>>();

function once(name: string, make: () => Promise<OwnKeys>): Promise<OwnKeys> {
  const keys = made.get(name) ?? make();
  made.set(name, keys);
  return keys;
}

export const agentKeys = (keys = agent): Promise<OwnKeys> => once(keys.sign, () => restoreAgentKeys(keys));

export async function agentPem(keys = agent): Promise<PemKeys> {
  return pem(await agentKeys(keys));
}

export const expertKeys = (of = root, id = requestId): Promise<OwnKeys> =>
  once(of + id, async () => (await openExpertKeys(Buffer.from(of, 'hex'))).keysFor(id));

export async function expertPem(of = root, id = requestId): Promise<PemKeys> {
  return pem(await expertKeys(of, id));
}

/** The `keySignature` of the expert. */
export async function signed(id = requestId): Promise<string> {
  const { signPublic, encryptPublic } = await agentKeys();
  return await (await openExpertKeys(unhex(root))).signExchange({
    requestId: id,
    consumer: { sign: signPublic, encrypt: encryptPublic },
    providerEncrypt: (await expertKeys(root, id)).encryptPublic,
    submission: unhex(await submission),
  });
}

export type FullSide = Side & { readonly peer: PemKeys };

export async function agentSide(id = requestId): Promise<FullSide> {
  return {
    requestId: id,
    role: 'consumer',
    own: agent,
    peer: await expertPem(root, id),
    ...(await bound(id)),
  };
}

export async function expertSide(id = requestId): Promise<FullSide> {
  return { requestId: id, role: 'provider', own: { root }, peer: await agentPem(), ...(await bound(id)) };
}

const bound = async (id: string) => ({ submission: await submission, keySignature: await signed(id) });

export function parsed({ sign, encrypt }: PemKeys) {
  return { sign: parsePublicKey(sign, 'sign'), encrypt: parsePublicKey(encrypt, 'encrypt') };
}
