import { toBase64 } from '../../crypto/base64.ts';
import { toUtf8 } from '../../crypto/bytes.ts';
import { writeFrame } from '../../crypto/frame.ts';
import { writeParts } from '../../crypto/parts.ts';
import { forge } from '../vectors/forge.ts';
import { agent, strangeAgent, strangeRoot } from '../vectors/people.ts';
import { hex, seeded } from '../vectors/seeded.ts';
import { resign } from './resign.ts';
import { approval, question, type Said, startTalk, type Talk } from './talk.ts';
import { accept, answerTo, confidentialTalk, decline, idsOf, talkAboutRegion } from './valid-receipts.ts';

export interface Lie {
  readonly name: string;
  readonly receipt: string;
  readonly error: string;
}

/** Receipts that an agent has signed, and that prove nothing. */
export async function liesOfAgents(): Promise<readonly Lie[]> {
  const lies: Lie[] = [];
  const add = (name: string, receipt: string, error: string) => lies.push({ name, receipt, error });

  const approved = await startTalk('approval');
  await approved.say('provider', 'Only this once.', answerTo(approved.submission, accept));
  const { own } = approved;
  const honest = await approved.receipt();
  const change = async (name: string, changes: object, error: string, receipt = honest) =>
    add(name, await resign(receipt, changes, own), error);
  const asked = (changes: object) => ({ asked: { ...question, ...changes } });
  await change(
    'the agent states another question',
    asked({ question: 'May I delete all?' }),
    'question_altered',
  );
  await change('the agent states another form', asked({ answerForm: '{}' }), 'question_altered');
  const context = [...Array(10)].map(() => ({ content: 'Delete all.', role: 'user' }));
  await change(
    'eleven messages of context',
    asked({ messages: [...context, ...question.messages] }),
    'malformed_receipt',
  );
  await change('ten messages of context', asked({ messages: context }), 'question_altered');
  await change('the agent states another outcome', { outcome: 'decline' }, 'no_decision');
  await change('there are no messages', { messages: [] }, 'no_decision');
  await change(
    'the identity of another expert',
    { providerSignPubKey: toBase64(seeded('other')) },
    'unknown_expert',
  );
  await change(
    'both sides have one key',
    { consumerSignPubKey: JSON.parse(honest).providerSignPubKey },
    'malformed_receipt',
  );
  const proof = Buffer.from(JSON.parse(honest).keySignature, 'base64');
  const withVersions = (...versions: number[]) => ({
    keySignature: Buffer.concat([proof.subarray(0, 96), Uint8Array.from(versions)]).toString('base64'),
  });
  await change('versions without this one', withVersions(5), 'key_signature_wrong');
  await change('versions that the expert has not signed', withVersions(4, 5), 'key_signature_wrong');
  await change('no versions', withVersions(), 'key_signature_wrong');
  add(
    'signed by another agent',
    await resign(honest, {}, (await startTalk('x', question, { keys: strangeAgent })).own),
    'receipt_signature_wrong',
  );

  const impostor = await startTalk('impostor', question, { expertRoot: strangeRoot });
  await impostor.say('provider', 'Yes.', answerTo(impostor.submission, accept));
  add('another expert', await impostor.receipt(), 'unknown_expert');
  const { fingerprint } = JSON.parse(honest);
  add(
    'another expert with the fingerprint of this one',
    await resign(await impostor.receipt(), { fingerprint }, own),
    'unknown_expert',
  );
  const other = await startTalk('other question', { ...question, question: 'May I look at it?' });
  await other.say('provider', 'Yes.', answerTo(other.submission, accept));
  const { messages } = JSON.parse(await other.receipt());
  await change('a message of another conversation', { messages }, 'wrong_signature');

  /** A last message of the expert that decides nothing. */
  async function ending(name: string, error: string, end: (talk: Talk) => Promise<unknown>, form = approval) {
    const talk = await startTalk(name, { ...question, answerForm: form });
    await end(talk);
    add(name, await talk.receipt(), error);
  }
  await ending('words alone', 'no_decision', (talk) => talk.say('provider', 'Yes, approved.'));
  await ending('a message of the agent behind the decision', 'no_decision', async (talk) => {
    await talk.say('provider', '', answerTo(talk.submission, accept));
    await talk.say('consumer', 'Thank you.');
  });
  await ending(
    'a decision about no form',
    'no_decision',
    (talk) => talk.say('provider', '', answerTo(talk.submission, accept)),
    '',
  );
  await ending('a decision about another form', 'message_missing', (talk) =>
    talk.say('provider', '', answerTo(seeded('form'), accept)),
  );
  await ending('a part beside it that could change its meaning', 'no_decision', (talk) =>
    talk.say('provider', '', [...answerTo(talk.submission, accept), { kind: 63, body: new Uint8Array() }]),
  );
  await ending('an answer that cannot be read', 'no_decision', (talk) =>
    talk.say('provider', '', writeParts({ answer: { of: talk.submission, json: '{"action":"accept"' } })),
  );
  await ending('an answer with a member that is not known', 'no_decision', (talk) =>
    talk.say('provider', '', answerTo(talk.submission, { ...accept, unless: 'it rains' })),
  );
  await ending('a decline with a content', 'no_decision', (talk) =>
    talk.say('provider', '', answerTo(talk.submission, { ...decline, content: {} })),
  );
  await ending(
    'a form that cannot be shown, accepted',
    'no_decision',
    (talk) => talk.say('provider', '', answerTo(talk.submission, accept)),
    '{"type":"array"}',
  );
  for (const [name, content] of [
    ['a content without a field that is required', { count: 1 }],
    ['a content with a field that the form does not have', { region: 'eu', all: true }],
    ['a content with another option', { region: 'moon' }],
    ['a content of another type', { region: 'eu', dryRun: 'no' }],
  ] as const) {
    const { talk, form, answer: last } = await talkAboutRegion(name, content);
    add(name, await talk.receipt({ opened: idsOf(form, last) }), 'no_decision');
  }

  const region = await talkAboutRegion('lies about messages');
  const { talk, form, answer: last } = region;
  const opened = idsOf(form, last);
  const recordsOf = (...said: readonly Said[]) => ({ opened, records: said.map(({ record }) => record) });
  const [first, second] = talk.said as [Said, Said, ...Said[]];
  add('the form is not opened', await talk.receipt({ opened: idsOf(last) }), 'message_missing');
  add('the form is not there', await talk.receipt(recordsOf(first, second, last)), 'message_missing');
  add(
    'a message before the form is not there',
    await talk.receipt(recordsOf(first, form, last)),
    'message_missing',
  );
  add(
    'the messages are in another order',
    await talk.receipt(recordsOf(first, form, second, last)),
    'message_missing',
  );
  add(
    'a message twice',
    await talk.receipt(recordsOf(first, second, first, form, last)),
    'malformed_receipt',
  );
  const naming = await startTalk('a decision about words', question);
  const words = await naming.say('consumer', 'May I?');
  await naming.say('provider', '', answerTo(words.hash, accept));
  const all = idsOf(...naming.said);
  add('a decision about words', await naming.receipt({ opened: all }), 'no_decision');

  const whole = await talk.receipt({ openingKey: agent.encrypt });
  const openingKey = strangeAgent.encrypt;
  add('another key that opens', await resign(whole, { openingKey }, own), 'undecryptable');
  const mixed = { openingKey: agent.encrypt };
  add('two kinds of keys', await resign(await talk.receipt({ opened }), mixed, own), 'malformed_receipt');
  const [message] = JSON.parse(honest).messages;
  const otherKey = JSON.parse(await other.receipt()).messages[0].key;
  await change('the key of another message', { messages: [{ ...message, key: otherKey }] }, 'undecryptable');

  const forged = { role: 'provider', submission: hex(approved.submission) } as const;
  const frame = writeFrame([], toUtf8('Yes.'), answerTo(approved.submission, accept));
  const ofAgent = await forge({ ...forged, name: 'of the agent', frame, signer: own.sign });
  add(
    'a decision that the agent has signed',
    await approved.receipt({ records: [ofAgent], opened: idsOf({ record: ofAgent }) }),
    'wrong_signature',
  );
  const plain = await forge({ ...forged, name: 'without a frame', frame: toUtf8('Yes.') });
  add(
    'a message without links',
    await approved.receipt({ records: [plain], opened: idsOf({ record: plain }) }),
    'malformed_frame',
  );
  const cut = await forge({ ...forged, name: 'cut off', frame: frame.subarray(0, 20) });
  add(
    'a message that is cut off',
    await approved.receipt({ records: [cut], opened: idsOf({ record: cut }) }),
    'malformed_frame',
  );

  const { talk: secret, first: real } = await confidentialTalk('not opened');
  const decision = await secret.say('provider', '', answerTo(real.hash, accept));
  add(
    'the confidential form is not opened',
    await secret.receipt({ opened: idsOf(decision) }),
    'message_missing',
  );
  const { talk: later, first: words1 } = await confidentialTalk('a later form', false);
  const laterForm = await later.say('consumer', 'May I?', writeParts({ form: approval }));
  const decided = await later.say('provider', '', answerTo(laterForm.hash, accept));
  add(
    'the confidential question is not opened',
    await later.receipt({ opened: idsOf(laterForm, decided) }),
    'message_missing',
  );
  const hidden = [laterForm, decided].map(({ record }) => record);
  add(
    'the confidential question is not there',
    await later.receipt({ opened: idsOf(words1, laterForm, decided), records: hidden }),
    'message_missing',
  );
  return lies;
}
