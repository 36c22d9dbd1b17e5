import { type AgentKeys, restoreAgentKeys } from '../../crypto/agent-keys.ts';
import { fromBase64 } from '../../crypto/base64.ts';
import type { Bytes } from '../../crypto/bytes.ts';
import { openChannel } from '../../crypto/channel.ts';
import { openExpertKeys } from '../../crypto/expert-keys.ts';
import type { Part } from '../../crypto/frame.ts';
import type { Role } from '../../crypto/key-exchange.ts';
import type { MessageRecord } from '../../crypto/message.ts';
import { digestSubmission } from '../../crypto/submission.ts';
import { makeReceipt, type ReceiptMaterial } from '../../receipt/make-receipt.ts';
import type { ReceiptQuestion } from '../../receipt/receipt-file.ts';
import { agent, requestId, root } from '../vectors/people.ts';
import { seeded, seededId, unhex } from '../vectors/seeded.ts';

const refCode = 'HS-7KQ2M9XD';
export const approval = JSON.stringify({ type: 'object', properties: {} });

export const question: ReceiptQuestion = {
  agentName: 'Deploy bot',
  agentVersions: '4',
  answerForm: approval,
  messages: [{ content: 'The disk is full.', role: 'user' }],
  plaintext: '',
  question: 'May I delete the test database?',
};

/** A message that was sent, and what names it. */
export interface Said {
  readonly record: MessageRecord;
  readonly hash: Bytes;
}

/** A conversation of the agent and the expert of all cases. Each has read all when it writes. */
export interface Talk {
  readonly submission: Bytes;
  readonly own: AgentKeys;
  readonly said: readonly Said[];
  say(role: Role, text: string, parts?: readonly Part[]): Promise<Said>;
  /** The receipt of the last message. */
  receipt(changes?: Partial<ReceiptMaterial>): Promise<string>;
}

export async function startTalk(
  name: string,
  asked: ReceiptQuestion = question,
  people: { readonly keys?: typeof agent; readonly expertRoot?: string } = {},
): Promise<Talk> {
  const own = await restoreAgentKeys(people.keys ?? agent);
  const expert = await openExpertKeys(unhex(people.expertRoot ?? root));
  const theirs = await expert.keysFor(requestId);
  const submission = await digestSubmission({ ...asked, refCode });
  const consumer = { sign: own.signPublic, encrypt: own.encryptPublic };
  const peer = { sign: theirs.signPublic, encrypt: theirs.encryptPublic };
  const providerEncrypt = theirs.encryptPublic;
  const keySignature = await expert.signExchange({ requestId, consumer, providerEncrypt, submission });
  const said: Said[] = [];
  const about = { requestId, submission, keySignature };
  const randomBytes = (length: number) => seeded(`${name} ${said.length}`, length);
  const channels = {
    consumer: await openChannel({ ...about, role: 'consumer', own, peer, randomBytes }),
    provider: await openChannel({ ...about, role: 'provider', own: theirs, peer: consumer, randomBytes }),
  };
  return {
    submission,
    own,
    said,
    async say(role, text, parts = []) {
      const messageId = seededId(`${name} ${said.length}`);
      const record = { role, ...(await channels[role].seal(text, { messageId, parts })) };
      const { hash } = await channels.consumer.open(record);
      await channels.provider.open(record);
      const one = { record, hash: fromBase64(hash) as Bytes };
      said.push(one);
      return one;
    },
    receipt: async (changes) =>
      await makeReceipt({
        ...{ requestId, refCode, own, peer, keySignature, submissionDigest: submission, asked },
        records: said.map(({ record }) => record),
        opened: new Set(said.slice(-1).map(({ record }) => record.messageId)),
        outcome: 'accept',
        askedAt: new Date('2026-11-29T12:10:00.000Z'),
        madeAt: new Date('2026-11-29T12:15:30.250Z'),
        ...changes,
      }),
  };
}
