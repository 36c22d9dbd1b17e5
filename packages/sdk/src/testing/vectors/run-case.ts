import { restoreAgentKeys } from '../../crypto/agent-keys.ts';
import { toBase64 } from '../../crypto/base64.ts';
import { type Bytes, concat, sha256, tuple } from '../../crypto/bytes.ts';
import { type Channel, openChannel } from '../../crypto/channel.ts';
import type { Part } from '../../crypto/frame.ts';
import { paddedLength, readFrame } from '../../crypto/frame.ts';
import {
  makeRecoveryCode,
  onceId,
  openExpertKeys,
  openVault,
  parseFingerprint,
  parseRecoveryCode,
  sealVault,
} from '../../crypto/index.ts';
import {
  checkExchange,
  checkPickUp,
  checkUnchanged,
  digestConversation,
  type Exchange,
  type PublicKeys,
  type Role,
} from '../../crypto/key-exchange.ts';
import type { SealedMessage } from '../../crypto/message.ts';
import { onceKeys } from '../../crypto/once-keys.ts';
import type { OwnKeys } from '../../crypto/own-keys.ts';
import { checkParts, readParts, writeParts } from '../../crypto/parts.ts';
import { mayShowPlaintext } from '../../crypto/plaintext.ts';
import { parsePublicKey } from '../../crypto/public-key.ts';
import { digestSubmission } from '../../crypto/submission.ts';
import { beginRecord } from '../../thread/message.ts';
import { restoredParts } from '../../thread/message-parts.ts';
import type { Kind, Kinds, Opened, Parts, PemKeys, Side, ToSeal } from './case.ts';
import { parsed } from './people.ts';
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
    const expert = await openExpertKeys(unhex(root));
    return { ...shown(await expert.keysFor(requestId)), fingerprint: expert.fingerprint };
  },
  submission: async (asked) => ({ submission: hex(await digestSubmission(asked)) }),
  async 'sign-exchange'({ root, requestId, consumer, submission }) {
    const expert = await openExpertKeys(unhex(root));
    const { encryptPublic } = await expert.keysFor(requestId);
    const exchange = {
      requestId,
      consumer: parsed(consumer),
      providerEncrypt: encryptPublic,
      submission: unhex(submission),
    };
    return { keySignature: await expert.signExchange(exchange) };
  },
  async 'check-exchange'({ own, submission, ...rest }) {
    const options = { ...rest, own: parsed(own), submission: unhex(submission) };
    const { fingerprint, verification: verified } = await checkExchange(options);
    const conversation = await conversationOf(options, options.own, options.exchange);
    return { fingerprint, verified, conversation };
  },
  async 'check-pick-up'({ root, requestId, ...rest }) {
    const { signPublic, encryptPublic } = await (await openExpertKeys(unhex(root))).keysFor(requestId);
    const [consumer, submission] = [parsed(rest.consumer), unhex(rest.submission)];
    const own = { sign: signPublic, encrypt: encryptPublic };
    await checkPickUp({ requestId, own, consumer, submission, exchange: rest.exchange });
    return { conversation: await conversationOf({ requestId, submission }, consumer, rest.exchange) };
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
  async parts({ role, times = 1, form, answer, files }) {
    const parts = writeParts({
      form: form?.repeat(times),
      answer: answer && { of: unhex(answer.of), json: answer.json.repeat(times) },
      files: files?.map((file) => ({ ...file, bytes: unhex(file.bytes.repeat(times)) })),
    });
    checkParts(parts, role);
    const written = parts.flatMap(({ kind, body }) => [Uint8Array.of(kind), tuple(body)]);
    const bytes = concat(Uint8Array.of(parts.length), ...written);
    return { length: bytes.length, sha256: hex(await sha256(bytes)) };
  },
  async 'once-keys'({ secret, name }) {
    const { keys, questionId } = await onceKeys(unhex(secret), name);
    return { ...keys.export(), questionId };
  },
  'once-id': async ({ name }) => ({ id: await onceId(name) }),
  async frame({ frame }) {
    const { links, text, parts } = readFrame(unhex(frame));
    const inHex = parts.map(({ kind, body }) => ({ kind, body: hex(body) }));
    return { links: links?.map(hex).join('') ?? null, text, parts: inHex };
  },
  async seal({ side, before, ...text }) {
    const { channel, seal } = await openSide(side, true);
    for (const one of before) await ('iv' in one ? seal(one) : channel?.open(one));
    const message = await seal(text);
    const seen = channel?.state().seen ?? [];
    const [hash = '', , ...positions] = seen.at(-1) ?? [];
    const links = positions.map((position) => hexOf(seen[position]?.[0] ?? ''));
    return { message, links: links.join(''), link: hexOf(hash) };
  },
  async open({ side, records, acceptUnprotected = false }) {
    const { channel, seal } = await openSide(side, acceptUnprotected);
    const opened: Opened[] = [];
    for (const record of records) {
      if ('iv' in record) {
        await seal(record);
        continue;
      }
      const acceptsPlaintext = (author: Role) =>
        mayShowPlaintext({
          reader: side.role,
          author,
          agentSentKeys: !side.withoutKeys,
          acceptUnprotected,
        });
      const read = await beginRecord({ ...record }, channel, acceptsPlaintext)();
      const { role, messageId: _, hash: __, parts, ...shown } = read;
      opened.push({ ...shown, ...describe(restoredParts(parts), role) });
    }
    return { opened };
  },
};

function describe(parts: readonly Part[], role: Role): Parts & { readonly hasUnknownPart?: true } {
  const { form, answer, files, hasUnknown } = readParts(parts, role);
  return {
    ...(form !== undefined && { form }),
    ...(answer && { answer: { of: hex(answer.of), json: answer.json } }),
    ...(files && { files: files.map(({ bytes, ...file }) => ({ ...file, bytes: hex(bytes) })) }),
    ...(hasUnknown && { hasUnknownPart: true }),
  };
}

const conversationOf = async (
  { requestId, submission }: { readonly requestId: string; readonly submission: Bytes },
  consumer: PublicKeys,
  { providerSignPubKey, providerEncryptPubKey, keySignature }: Exchange,
): Promise<string> => {
  const provider = parsed({ sign: providerSignPubKey, encrypt: providerEncryptPubKey });
  return hex(await digestConversation(requestId, { consumer, provider }, submission, keySignature));
};

/** The channel of a side that has accepted an exchange, and a function that encrypts with it. */
async function openSide(side: Side, acceptUnprotected: boolean) {
  let iv = '';
  const channel = await openChannelOf(side, acceptUnprotected, () => iv);
  async function seal({ text, times = 1, messageId, parts, shown, ...rest }: ToSeal): Promise<SealedMessage> {
    if (!channel) throw new Error('There are no keys to encrypt with.');
    iv = rest.iv;
    return await channel.seal(text.repeat(times), {
      messageId,
      parts: parts?.map(({ kind, body, times: count = 1 }) => ({ kind, body: unhex(body.repeat(count)) })),
      shown: shown?.map((hash) => toBase64(unhex(hash))),
    });
  }
  return { channel, seal };
}

async function openChannelOf(
  { requestId, role, own, peer, submission, keySignature }: Side,
  acceptUnprotected: boolean,
  iv: () => string,
): Promise<Channel | undefined> {
  const keys: OwnKeys =
    'root' in own
      ? await (await openExpertKeys(unhex(own.root))).keysFor(requestId)
      : await restoreAgentKeys(own);
  if (!peer) return undefined;
  return await openChannel({
    requestId,
    role,
    own: keys,
    peer: parsed(peer),
    submission: unhex(submission),
    keySignature,
    acceptUnprotected,
    randomBytes: () => unhex(iv()),
  });
}

function shown({ signPublic, encryptPublic }: OwnKeys): PemKeys {
  return { sign: signPublic.pem, encrypt: encryptPublic.pem };
}

const hexOf = (base64: string): string => Buffer.from(base64, 'base64').toString('hex');
