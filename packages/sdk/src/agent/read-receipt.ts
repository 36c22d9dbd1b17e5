import type { AgentKeys } from '../crypto/agent-keys.ts';
import { fromBase64 } from '../crypto/base64.ts';
import type { Bytes } from '../crypto/bytes.ts';
import type { ChannelState } from '../crypto/history.ts';
import type { MessageRecord } from '../crypto/message.ts';
import { parsePublicKey } from '../crypto/public-key.ts';
import { confidentialQuestion } from '../crypto/submission.ts';
import { makeReceipt } from '../receipt/make-receipt.ts';
import type { ReceiptQuestion } from '../receipt/receipt-file.ts';
import { verifyReceipt } from '../receipt/verify-receipt.ts';
import { invalidInput } from '../relay-error.ts';
import type { BaseParts } from '../thread/conversation-base.ts';
import { readSaved } from '../thread/message-parts.ts';
import type { Head } from '../thread/page.ts';
import { isObject, optionalText } from '../transport/shape.ts';
import type { AgentSide } from './agent-side.ts';
import type { AcceptedExchange } from './conversation-state.ts';
import { readAgain } from './read-transcript.ts';

/** What a receipt needs of a conversation. */
export interface ReceiptSource extends Pick<BaseParts<unknown>, 'api' | 'thread'> {
  readonly refCode: string;
  readonly keys: AgentKeys | undefined;
  readonly side: AgentSide;
  readonly submissionDigest: string | undefined;
  /** The message that decided about a form, if a program has its decision. */
  decisionOf(of: string): Promise<string | undefined>;
}

/** The receipt of the decision about the newest form. The list is read again, since only it has what was signed. */
export async function readReceipt(
  source: ReceiptSource,
  { whole, signal }: { readonly whole: boolean; readonly signal: AbortSignal | undefined },
): Promise<string> {
  const { thread, side, keys, refCode } = source;
  if (!keys) throw unproven('This conversation is not encrypted');
  const records = new Map<string | undefined, MessageRecord>();
  const again = await readAgain(source, side, signal, ({ hash }, record) => {
    // The channel has checked every member.
    records.set(hash, record as unknown as MessageRecord);
  });
  const { head, mailbox, formTracker } = again;
  if (!head || head.erasedAt !== undefined)
    throw invalidInput(
      'The relay has erased the messages of this conversation: there is no receipt any more.',
    );
  const { exchange } = side;
  if (exchange && !side.isSigned) throw unproven('The expert of this conversation does not sign its keys');
  const { form } = formTracker;
  const decidedBy = form && (await source.decisionOf(form.of));
  const deciding = mailbox.messages.find(({ messageId }) => messageId === decidedBy);
  const state = again.channel?.state();
  if (!deciding || !exchange || !state)
    throw invalidInput('There is no decision yet. Wait for it first: `waitForDecision` returns it.');
  const order = closureOf(state, deciding.hash);
  const asked = readAsked(head);
  const isAgents = (hash: string) => records.get(hash)?.role === 'consumer';
  const first = asked.question === confidentialQuestion ? order.find(isAgents) : undefined;
  const isOpened = (hash: string) => hash === deciding.hash || hash === form?.of || hash === first;
  const listed = order.flatMap((hash) => records.get(hash) ?? []);
  const opened = order.filter(isOpened).flatMap((hash) => records.get(hash)?.messageId ?? []);
  const { sealedBefore } = thread.formTracker.answers.find((one) => one.messageId === decidedBy) ?? {};
  const text = await makeReceipt({
    requestId: thread.requestId,
    refCode,
    own: keys,
    ...partsOf(exchange),
    submissionDigest: fromBase64(source.submissionDigest ?? '') as Bytes,
    asked,
    records: listed,
    opened: new Set(opened),
    openingKey: whole ? keys.export().encrypt : undefined,
    outcome: outcomeOf(deciding.parts),
    askedAt: sealedBefore === undefined ? undefined : new Date(sealedBefore),
    madeAt: new Date(),
  });
  // A receipt that nothing accepts would be noticed too late.
  await verifyReceipt(text, { fingerprint: exchange.fingerprint });
  return text;
}

const unproven = (why: string) =>
  invalidInput(
    `${why}: the relay could have written its answers, so they prove nothing, and there is no receipt.`,
  );

const partsOf = ({ sign, encrypt, keySignature = '' }: AcceptedExchange) => ({
  peer: { sign: parsePublicKey(sign, 'sign'), encrypt: parsePublicKey(encrypt, 'encrypt') },
  keySignature,
});

/** The hashes of a message and of all before it, in the order of the list. */
function closureOf({ seen }: ChannelState, hash: string | undefined): readonly string[] {
  const at = seen.findIndex(([one]) => one === hash);
  const found = new Set([at]);
  for (let position = at; position >= 0; position -= 1) {
    const [, , ...links] = seen[position] ?? ['', 0];
    if (found.has(position)) for (const link of links) found.add(link);
  }
  return seen.filter((_, position) => found.has(position)).map(([one]) => one);
}

/** What was submitted, as the relay lists it. That it is what the expert has signed is checked with the receipt. */
function readAsked({ asked }: Head): ReceiptQuestion {
  const text = (name: string) => optionalText(asked, name) ?? '';
  const context = Array.isArray(asked.context) ? asked.context.filter(isObject) : [];
  return {
    agentName: text('agentName'),
    agentVersions: text('agentVersions'),
    answerForm: text('answerForm'),
    messages: context.map(({ role, content }) => ({ content: String(content), role: String(role) })),
    plaintext: text('plaintext'),
    question: text('question'),
  };
}

function outcomeOf(parts: Parameters<typeof readSaved>[0]): 'accept' | 'decline' {
  const { answer } = readSaved(parts, 'provider');
  const json: unknown = JSON.parse(answer?.json ?? 'null');
  return isObject(json) && json.action === 'accept' ? 'accept' : 'decline';
}
