import { AgentSide } from '../../agent/agent-side.ts';
import { paddedLength, readFrame } from '../../crypto/frame.ts';
import {
  type Channel,
  checkExchange,
  checkUnchanged,
  digestSubmission,
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
import { beginRecord } from '../../thread/message.ts';
import type { Kind, Kinds, Opened, PemKeys, Side } from './case.ts';
import { hex, unhex } from './seeded.ts';

type Runs = { readonly [K in Kind]: (input: Kinds[K][0]) => Promise<Kinds[K][1]> };

/** Runs a case with this package. */
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
  submission: async (asked) => ({ submission: hex(await digestSubmission(asked)) }),
  async 'sign-exchange'({ root, requestId, consumer, submission }) {
    const expert = await openExpert(unhex(root));
    const { sign, encrypt } = parsed(consumer);
    const { encryptPublic } = await expert.keysFor(requestId);
    const exchange = {
      requestId,
      consumerSign: sign,
      consumerEncrypt: encrypt,
      providerEncrypt: encryptPublic,
      submission: unhex(submission),
    };
    return { keySignature: await expert.signExchange(exchange) };
  },
  async 'check-exchange'({ own, submission, ...rest }) {
    const options = { ...rest, own: parsed(own), submission: unhex(submission) };
    const { fingerprint, verified } = await checkExchange(options);
    return { fingerprint, verified };
  },
  async 'check-unchanged'({ first, later }) {
    checkUnchanged(parsed(first), later ?? undefined);
    return {};
  },
  fingerprint: async ({ typed }) => ({ fingerprint: parseFingerprint(typed) }),
  'make-recovery-code': async ({ random }) => ({ code: await makeRecoveryCode(() => unhex(random)) }),
  'read-recovery-code': async ({ typed }) => ({ characters: await parseRecoveryCode(typed) }),
  async 'seal-vault'({ root, code, salt, iv }) {
    return { vault: await sealVault(unhex(root), code, (length) => unhex(length === 16 ? salt : iv)) };
  },
  'open-vault': async ({ vault, code }) => ({ root: hex(await openVault(vault, code)) }),
  padding: async ({ length }) => ({ padded: paddedLength(length) }),
  async frame({ frame }) {
    const { links, text } = readFrame(unhex(frame));
    return { links: links?.map(hex).join('') ?? null, text };
  },
  async seal({ side, before, messageId, iv, text, times = 1 }) {
    const channel = await openSide(side, () => iv);
    for (const record of before) await channel?.open(record);
    const links = inHex(channel?.state().ends.slice(0, 255) ?? []).join('');
    const message = await channel?.seal(text.repeat(times), messageId);
    if (!channel || !message) throw new Error('There are no keys to seal with.');
    const link = inHex(channel.state().seen.map(([hash]) => hash)).at(-1) ?? '';
    return { message, links, link };
  },
  async open({ side, records, known }) {
    let iv = '';
    const channel = await openSide(side, () => iv);
    const opened: Opened[] = [];
    for (const record of records) {
      if ('iv' in record) {
        iv = record.iv;
        await channel?.seal(record.text.repeat(record.times ?? 1), record.messageId);
        continue;
      }
      const acceptsPlaintext = async () =>
        side.role === 'provider' || (await agentAcceptsPlaintext(side, known));
      const {
        role: _,
        messageId: __,
        ...shown
      } = await beginRecord({ ...record }, channel, acceptsPlaintext)();
      opened.push(shown);
    }
    return { opened };
  },
};

/** Whether an agent that has sent keys, and knows this expert or none, accepts plain text. */
async function agentAcceptsPlaintext({ requestId, own }: Side, known: string | undefined): Promise<boolean> {
  const keys = 'root' in own ? undefined : await restoreAgentKeys(own);
  const expert = { given: undefined, recall: async () => known, meet: async () => '', trust: async () => {} };
  const side = new AgentSide({ requestId, keys, submission: undefined, expert, acceptsPlaintext: false });
  return await side.acceptsPlaintext();
}

async function openSide(
  { requestId, role, own, peer }: Side,
  iv: () => string,
): Promise<Channel | undefined> {
  const keys: OwnKeys =
    'root' in own
      ? await (await openExpert(unhex(own.root))).keysFor(requestId)
      : await restoreAgentKeys(own);
  return (
    peer &&
    (await openChannel({ requestId, role, own: keys, peer: parsed(peer), randomBytes: () => unhex(iv()) }))
  );
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
