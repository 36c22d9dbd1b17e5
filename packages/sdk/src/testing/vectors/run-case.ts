import { readFrame } from '../../crypto/channel/frame.ts';
import {
  type Channel,
  checkExchange,
  checkUnchanged,
  makeRecoveryCode,
  type OwnKeys,
  openChannel,
  openExpert,
  openVault,
  parseFingerprint,
  parsePublicKey,
  parseRecoveryCode,
  restoreAgentKeys,
  sealVault,
} from '../../crypto/index.ts';
import type { Kind, Kinds, PemKeys, Side } from './case.ts';
import { hex, unhex } from './seeded.ts';

type Runs = { readonly [K in Kind]: (input: Kinds[K][0]) => Promise<Kinds[K][1]> };

/** What this package makes of a case. */
export async function runCase<K extends Kind>(kind: K, input: Kinds[K][0]): Promise<Kinds[K][1]> {
  return await runs[kind](input);
}

const runs: Runs = {
  'public-key': async ({ kind, pem }) => ({ raw: hex(parsePublicKey(pem, kind).raw) }),
  'agent-keys': async (json) => shown(await restoreAgentKeys(json)),
  async expert({ root, requestId }) {
    const expert = await openExpert(unhex(root));
    return { ...shown(await expert.keysFor(requestId)), fingerprint: expert.fingerprint };
  },
  async 'sign-exchange'({ root, requestId, consumer }) {
    const expert = await openExpert(unhex(root));
    const { sign, encrypt } = parsed(consumer);
    const { encryptPublic } = await expert.keysFor(requestId);
    const exchange = {
      requestId,
      consumerSign: sign,
      consumerEncrypt: encrypt,
      providerEncrypt: encryptPublic,
    };
    return { keySignature: await expert.signExchange(exchange) };
  },
  async 'check-exchange'({ own, ...rest }) {
    const { fingerprint, verified } = await checkExchange({ ...rest, own: parsed(own) });
    return { fingerprint, verified };
  },
  async 'check-unchanged'({ first, later }) {
    checkUnchanged(parsed(first), later);
    return {};
  },
  fingerprint: async ({ typed }) => ({ fingerprint: parseFingerprint(typed) }),
  'make-recovery-code': async ({ random }) => ({ code: await makeRecoveryCode(() => unhex(random)) }),
  'read-recovery-code': async ({ typed }) => ({ characters: await parseRecoveryCode(typed) }),
  async 'seal-vault'({ root, code, salt, iv }) {
    return { vault: await sealVault(unhex(root), code, (length) => unhex(length === 16 ? salt : iv)) };
  },
  'open-vault': async ({ vault, code }) => ({ root: hex(await openVault(vault, code)) }),
  async frame({ frame }) {
    const { links, text } = readFrame(unhex(frame));
    return { links: links?.map(hex).join('') ?? null, text };
  },
  async seal({ side, before, messageId, iv, text }) {
    const channel = await openSide(side, iv);
    for (const record of before) await channel.open(record);
    const links = inHex(channel.state().ends).join('');
    const message = await channel.seal(text, messageId);
    return { message, links, link: inHex(channel.state().seen).at(-1) ?? '' };
  },
  async open({ side, records }) {
    const channel = await openSide(side);
    const opened = [];
    for (const record of records) opened.push(await channel.open(record));
    return { opened };
  },
};

async function openSide({ requestId, role, own, peer }: Side, iv = ''): Promise<Channel> {
  const keys: OwnKeys =
    'root' in own
      ? await (await openExpert(unhex(own.root))).keysFor(requestId)
      : await restoreAgentKeys(own);
  return await openChannel({ requestId, role, own: keys, peer: parsed(peer), randomBytes: () => unhex(iv) });
}

function parsed({ sign, encrypt }: PemKeys) {
  return { sign: parsePublicKey(sign, 'sign'), encrypt: parsePublicKey(encrypt, 'encrypt') };
}

function shown({ signPublic, encryptPublic }: OwnKeys): PemKeys {
  return { sign: signPublic.pem, encrypt: encryptPublic.pem };
}

function inHex(hashes: readonly string[]): string[] {
  return hashes.map((hash) => Buffer.from(hash, 'base64').toString('hex'));
}
