import type { Bytes } from '../../crypto/bytes.ts';
import { writeParts } from '../../crypto/parts.ts';
import { agentVersions, confidentialQuestion } from '../../crypto/submission.ts';
import { agent } from '../vectors/people.ts';
import { question, startTalk } from './talk.ts';

/** The answer to a form, as a part. */
export const answerTo = (of: Bytes, decided: object) =>
  writeParts({ answer: { of, json: JSON.stringify({ ...decided, decidedAt: '2026-11-29T12:14:00Z' }) } });

export const accept = { action: 'accept', content: {} };
export const decline = { action: 'decline' };

const regionForm = JSON.stringify({
  type: 'object',
  properties: {
    region: { type: 'string', enum: ['eu', 'us'] },
    count: { type: 'integer', minimum: 1, maximum: 9 },
    notify: { type: 'array', items: { type: 'string', enum: ['ops', 'dev'] } },
    dryRun: { type: 'boolean' },
  },
  required: ['region'],
});

const plan = {
  name: 'plan.txt',
  mediaType: 'text/plain',
  bytes: new TextEncoder().encode('DROP DATABASE test;\n'),
};

/** A question with a file, a form that comes later, and what was said between. */
export async function talkAboutRegion(
  name: string,
  content: object = { region: 'eu', count: 3, notify: ['ops'] },
) {
  const talk = await startTalk(name, { ...question, answerForm: '' });
  await talk.say('consumer', 'The plan.', writeParts({ files: [plan] }));
  await talk.say('provider', 'Where?');
  const form = await talk.say('consumer', 'Say it here.', writeParts({ form: regionForm }));
  const answer = await talk.say('provider', '', answerTo(form.hash, { action: 'accept', content }));
  return { talk, form, answer };
}

export async function confidentialTalk(name: string, hasForm = true) {
  const asked = { ...question, messages: [], question: confidentialQuestion, answerForm: '', agentVersions };
  const talk = await startTalk(name, asked);
  const form = hasForm ? question.answerForm : undefined;
  const first = await talk.say('consumer', "Is Ada's raise approved?", writeParts({ form, files: [plan] }));
  return { talk, first };
}

export const idsOf = (...said: readonly { readonly record: { readonly messageId: string } }[]) =>
  new Set(said.map(({ record }) => record.messageId));

/** Receipts that prove a decision, by their names. */
export async function validReceipts(): Promise<ReadonlyMap<string, string>> {
  const receipts = new Map<string, string>();

  const approved = await startTalk('approval');
  await approved.say('provider', 'Only this once.', answerTo(approved.submission, accept));
  receipts.set('approval', await approved.receipt());

  const declined = await startTalk('decline');
  await declined.say('provider', 'Not today.', answerTo(declined.submission, decline));
  receipts.set('decline', await declined.receipt({ outcome: 'decline', askedAt: undefined }));

  const { talk, form, answer } = await talkAboutRegion('region');
  receipts.set('a form of a later message', await talk.receipt({ opened: idsOf(form, answer) }));
  const whole = { openingKey: agent.encrypt };
  receipts.set('a form of a later message, whole', await talk.receipt(whole));

  const { talk: secret, first } = await confidentialTalk('confidential');
  const last = await secret.say('provider', '', answerTo(first.hash, accept));
  receipts.set('a confidential question', await secret.receipt({ opened: idsOf(first, last) }));

  const noted = await startTalk('note');
  const note = { kind: 64, body: new Uint8Array([1, 2, 3]) };
  await noted.say('provider', 'Yes.', [...answerTo(noted.submission, accept), note]);
  receipts.set('a note beside the decision', await noted.receipt());

  const texts = {
    ...question,
    agentName: '\ufeff"\\/\b\f\n\r\t\u0001\u001f\u007f',
    question: '\u2028\u2029\u{1f418}é\u202e',
  };
  const odd = await startTalk('odd texts', { ...texts, messages: [{ role: '__proto__', content: '' }] });
  await odd.say('provider', '\u0085\ufffd', answerTo(odd.submission, accept));
  receipts.set('texts with characters that JSON escapes, and others', await odd.receipt());

  const unshown = await startTalk('unreadable form', { ...question, answerForm: '{"type":"array"}' });
  await unshown.say('provider', '', answerTo(unshown.submission, decline));
  receipts.set('a form that cannot be shown, declined', await unshown.receipt({ outcome: 'decline' }));
  return receipts;
}
