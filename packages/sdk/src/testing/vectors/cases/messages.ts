import { writeFrame } from '../../../crypto/channel/frame.ts';
import type { MessageRecord, Role } from '../../../crypto/index.ts';
import type { Draft } from '../case.ts';
import { forge } from '../forge.ts';
import { agentSide, expertSide } from '../people.ts';
import { runCase } from '../run-case.ts';
import { hex, seeded, seededId } from '../seeded.ts';
import { texts } from './texts.ts';

const ofRole = { consumer: agentSide, provider: expertSide };

/** A message sealed by a device that had read `before`. */
export async function seal(name: string, role: Role, text: string, before: MessageRecord[] = []) {
  const side = await ofRole[role]();
  const input = { side, before, messageId: seededId(name), iv: hex(seeded(`${name} iv`, 12)), text };
  const { message } = await runCase('seal', input);
  const record: MessageRecord = { role, ...message };
  return { record, draft: { name: `sealing: ${name}`, kind: 'seal', input } as Draft };
}

export async function open(
  name: string,
  reader: Role,
  records: MessageRecord[],
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
  const plain = await forge({ name: 'plain', role: 'provider', frame: Buffer.from('From a plain client.') });
  const empty = await forge({ name: 'plain empty', role: 'provider', frame: new Uint8Array() });
  const behindPlain = await seal('behind a plain client', 'consumer', 'Thanks.', [plain]);
  return [
    ...drafts,
    ...[question, answer, more, phone, joined, behindPlain].map(({ draft }) => draft),
    await open('a conversation, by the agent', 'consumer', talk),
    await open("a conversation, by the expert's other device", 'provider', talk),
    await open('messages that crossed, by the agent', 'consumer', [...crossed, joined.record]),
    await open('messages that crossed, by the expert', 'provider', [...crossed, joined.record]),
    await open('plain clients, unsequenced', 'consumer', [plain, empty, behindPlain.record]),
    frame('without links', writeFrame([], Buffer.from('text'))),
    frame('with two links and no text', writeFrame([seeded('one'), seeded('two')], new Uint8Array())),
    frame(
      'with 255 links',
      writeFrame(
        Array.from({ length: 255 }, (_, n) => seeded(`${n}`)),
        Buffer.from('.'),
      ),
    ),
    frame('of a plain client', Buffer.from('\u{10ffff}')),
    frame('of nothing', new Uint8Array()),
  ];
}

function frame(name: string, bytes: Uint8Array): Draft {
  return { name: `a frame: ${name}`, kind: 'frame', input: { frame: hex(bytes) } };
}
