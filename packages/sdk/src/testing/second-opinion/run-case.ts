import type { Kind, Kinds } from '../vectors/case.ts';
import { padded, readFrame, SecondChannel } from './channel.ts';
import {
  agentPairs,
  checkExchange,
  checkUnchanged,
  digestSubmission,
  expertPairs,
  fingerprintOf,
  parsePem,
  pemsOf,
  rawOf,
  readFingerprint,
  signExchange,
} from './keys.ts';
import { makeCode, openVault, readCode, sealVault } from './vault.ts';

/** Each kind of case done a second time, on OpenSSL, by code that shares nothing with the package. */
export const secondOpinion: { readonly [K in Kind]: (input: Kinds[K][0]) => Kinds[K][1] } = {
  'public-key': ({ kind, pem }) => ({ raw: parsePem(kind, pem).toString('hex') }),
  'agent-keys': (json) => pemsOf(agentPairs(json)),
  expert({ root, requestId }) {
    const pairs = expertPairs(root, requestId);
    return { ...pemsOf(pairs), fingerprint: fingerprintOf(rawOf(pairs).sign) };
  },
  submission: (asked) => ({ submission: digestSubmission(asked).toString('hex') }),
  'sign-exchange': ({ root, requestId, consumer, submission }) => ({
    keySignature: signExchange(root, requestId, consumer, submission),
  }),
  'check-exchange': checkExchange,
  'check-unchanged'({ first, later }) {
    checkUnchanged(first, later);
    return {};
  },
  fingerprint: ({ typed }) => ({ fingerprint: readFingerprint(typed) }),
  'make-recovery-code': ({ random }) => ({ code: makeCode(random) }),
  'read-recovery-code': ({ typed }) => ({ characters: readCode(typed) }),
  'seal-vault': (input) => ({ vault: sealVault(input) }),
  'open-vault': ({ vault, code }) => ({ root: openVault(vault, code) }),
  padding: ({ length }) => ({ padded: padded(length) }),
  frame({ frame }) {
    const { links, text } = readFrame(Buffer.from(frame, 'hex'));
    return { links: links?.join('') ?? null, text };
  },
  seal({ side, before, ...rest }) {
    const channel = new SecondChannel(side);
    for (const record of before) channel.open(record);
    return channel.seal(rest);
  },
  open({ side, records, known }) {
    const channel = new SecondChannel(side, known);
    const opened = records.map((record) => {
      if ('role' in record) return channel.open(record);
      channel.seal(record);
      return undefined;
    });
    return { opened: opened.filter((one) => one !== undefined) };
  },
};
