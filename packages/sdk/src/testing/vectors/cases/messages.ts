import { writeFrame } from '../../../crypto/frame.ts';
import type { Role } from '../../../crypto/key-exchange.ts';
import type { MessageRecord } from '../../../crypto/message.ts';
import type { Draft, Shown, ToSeal } from '../case.ts';
import { forge } from '../forge.ts';
import { agentSide, expertSide } from '../people.ts';
import { runCase } from '../run-case.ts';
import { hex, seeded, seededId } from '../seeded.ts';
import { texts } from './texts.ts';

const ofRole = { consumer: agentSide, provider: expertSide };

/** The input of a case with this name. */
export const toSeal = (name: string, text: string): ToSeal => ({
  messageId: seededId(name),
  iv: hex(seeded(`${name} iv`, 12)),
  text,
});

/** A message that was encrypted by a device that had read `before`. */
export async function seal(
  name: string,
  role: Role,
  text: string,
  before: (MessageRecord | ToSeal)[] = [],
  rest: Pick<ToSeal, 'parts' | 'shown'> = {},
) {
  const side = await ofRole[role]();
  const input = { side, before, ...toSeal(name, text), ...rest };
  const { message, link } = await runCase('seal', input);
  const record: MessageRecord = { role, ...message };
  return { record, link, draft: { name: `sealing: ${name}`, kind: 'seal', input } as Draft };
}

export async function open(
  name: string,
  reader: Role,
  records: (Shown | ToSeal)[],
  error?: string,
): Promise<Draft> {
  const input = { side: await ofRole[reader](), records };
  return { name: `opening: ${name}`, kind: 'open', input, ...(error && { error }) };
}

export async function messageCases(): Promise<Draft[]> {
  const drafts: Draft[] = [];
  for (const [name, text] of texts) {
    const { record, draft } = await seal(name, 'consumer', text);
    drafts.push(draft, await open(name, 'provider', [record]));
  }
  const question = await seal('a question', 'consumer', 'Which one?');
  const answer = await seal('its answer', 'provider', 'The second.', [question.record]);
  const more = await seal('a second answer', 'provider', 'Not the first.', [question.record, answer.record]);
  const talk = [question.record, answer.record, more.record];
  const phone = await seal('at the same time from another device', 'provider', 'Neither.', [question.record]);
  const crossed = [question.record, phone.record, answer.record, more.record];
  const joined = await seal('after messages that crossed', 'consumer', 'So?', crossed);
  const behindJoined = await seal('behind a message that joined two', 'provider', 'This one.', [
    ...crossed,
    joined.record,
  ]);
  const capitals = await sealInCapitals();
  return [
    ...drafts,
    ...[question, answer, more, phone, joined, behindJoined, capitals].map(({ draft }) => draft),
    await open('a messageId in capitals', 'provider', [capitals.record]),
    await looseEnds(),
    ...(await seenYourLast()),
    ...(await twoDevices()),
    ...paddings(),
    await open('a conversation, by the agent', 'consumer', talk),
    await open("a conversation, by the expert's other device", 'provider', talk),
    await open('messages that crossed, by the agent', 'consumer', [...crossed, joined.record]),
    await open('messages that crossed, by the expert', 'provider', [...crossed, joined.record]),
    await open('a frame with more zeros than it needs', 'provider', [
      await forge({
        name: 'more zeros',
        role: 'consumer',
        frame: Buffer.concat([writeFrame([], Buffer.from('text')), Buffer.alloc(1_000)]),
      }),
    ]),
    await open('a frame without zeros', 'provider', [
      await forge({ name: 'no zeros', role: 'consumer', frame: Buffer.from('f8000000000248690000', 'hex') }),
    ]),
    frame('without links', writeFrame([], Buffer.from('text'))),
    frame('with two links', writeFrame([seeded('one'), seeded('two')], Buffer.from('text'))),
    frame('that is full to the last byte', writeFrame([], Buffer.from('x'.repeat(1_017)))),
    frame('a byte longer, with zeros to the next step', writeFrame([], Buffer.from('x'.repeat(1_018)))),
    frame('whose text ends with a NUL', writeFrame([], Buffer.from('text\0'))),
    frame('without zeros', Buffer.from('f80000000002486900', 'hex')),
    frame(
      'with 255 links',
      writeFrame(
        Array.from({ length: 255 }, (_, n) => seeded(`${n}`)),
        Buffer.from('.'),
      ),
    ),
    frame('of a plain client', Buffer.from('\u{10ffff}')),
  ];
}

/** The salt is the messageId as it is sent. */
async function sealInCapitals() {
  const side = await agentSide();
  const sealing = toSeal('in capitals', 'Loud?');
  const input = { side, before: [], ...sealing, messageId: sealing.messageId.toUpperCase() };
  const { message } = await runCase('seal', input);
  const record: MessageRecord = { role: 'consumer', ...message };
  return { record, draft: { name: 'sealing: a messageId in capitals', kind: 'seal', input } as Draft };
}

/** A reader accepts any number of zeros: without them, the file of all cases is shorter. */
const withoutZeros = (text: string) => writeFrame([], Buffer.from(text)).subarray(0, 7 + text.length);

/** Of 257 messages without a link to them, a message links to the 255 oldest. */
async function looseEnds(): Promise<Draft> {
  const before = await Promise.all(
    Array.from({ length: 257 }, (_, n) =>
      forge({ name: `loose ${n}`, role: 'provider', frame: withoutZeros(`${n}`) }),
    ),
  );
  return (await seal('behind 257 loose ends', 'consumer', 'So many?', before)).draft;
}

/** Whether a message had seen the last one of its reader. */
async function seenYourLast(): Promise<Draft[]> {
  const one = await seal('own first', 'consumer', 'May I delete the test database?');
  const two = await seal('own second', 'consumer', 'WAIT: may I also delete PRODUCTION?', [one.record]);
  const early = await seal('an early answer', 'provider', 'Yes.', [one.record]);
  const late = await seal('a late answer', 'provider', 'No!', [one.record, two.record]);
  const blind = await seal('an answer that had seen nothing', 'provider', 'Hello?');
  const chained = await seal('behind the early answer', 'provider', 'Go on.', [one.record, early.record]);
  const both = await seal('behind both', 'provider', 'Well.', [one.record, early.record, two.record]);
  const reversed = await seal('behind both, the other way round', 'provider', 'Well?', [
    ...[one.record, two.record, early.record],
  ]);
  const third = await seal('own third', 'consumer', 'So?', [one.record, two.record, early.record]);
  const [first, second] = [
    toSeal('own first', 'May I delete the test database?'),
    toSeal('own second', 'WAIT: may I also delete PRODUCTION?'),
  ];
  const [a, b] = [one.record, two.record];
  return await Promise.all([
    open('an answer before anything was sent had seen all of it', 'consumer', [blind.record]),
    open('an answer that had seen the question', 'consumer', [first, a, early.record]),
    open('an answer to the question before the last', 'consumer', [first, second, a, b, early.record]),
    open('the same, while the last is not listed yet', 'consumer', [first, second, a, early.record, b]),
    open('an answer that was opened before the last was sealed', 'consumer', [first, a, early.record]),
    open('answers to both', 'consumer', [first, second, a, b, early.record, late.record]),
    open('an answer that links to an early answer alone', 'consumer', [
      ...[first, second, a, b, early.record, chained.record],
    ]),
    open('an answer that links to an early answer and to the last', 'consumer', [
      ...[first, second, a, b, early.record, both.record],
    ]),
    open('an answer that links to the last and to an early answer', 'consumer', [
      ...[first, second, a, b, early.record, reversed.record],
    ]),
    open('an answer sealed before the first message was read', 'consumer', [first, a, blind.record]),
    open('an answer that had not seen a question that is still unlisted', 'consumer', [first, blind.record]),
    open("an agent's message, by a device of the expert that has just read it all", 'provider', [
      ...[a, early.record, b],
    ]),
    open('one that had seen an answer of another device, but not the last', 'provider', [
      ...[a, early.record, b, late.record, third.record],
    ]),
  ]);
}

/** Two devices sent at the same time, and the other side had seen one of the messages. The last of them counts. */
async function twoDevices(): Promise<Draft[]> {
  const { record: asked } = await seal('asked of two devices', 'consumer', 'Which one?');
  const { record: laptop } = await seal('from the laptop', 'provider', 'The first.', [asked]);
  const { record: phone } = await seal('from the phone', 'provider', 'The second.', [asked]);
  const before = [asked, toSeal('from the laptop', 'The first.'), phone, laptop];
  const seen = async (name: string, record: MessageRecord) => {
    const last = await seal(name, 'consumer', 'Thanks.', [asked, record]);
    return await open(name, 'provider', [...before, last.record]);
  };
  return [
    await seen('one that had seen the last of two that crossed, and not the other', phone),
    await seen('one that had seen the first of two that crossed, and not the last', laptop),
  ];
}

function paddings(): Draft[] {
  const lengths = [
    8, 1_023, 1_024, 1_025, 1_088, 1_089, 2_047, 2_048, 2_049, 4_242, 65_535, 65_536, 65_537, 100_000,
  ];
  return [...lengths, 770_048, 770_049, 784_000].map((length) => ({
    name: `a padding: ${length} bytes`,
    kind: 'padding',
    input: { length },
  }));
}

export function frame(name: string, bytes: Uint8Array): Draft {
  return { name: `a frame: ${name}`, kind: 'frame', input: { frame: hex(bytes) } };
}
