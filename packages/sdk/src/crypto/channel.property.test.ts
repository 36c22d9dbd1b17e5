import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startConversation } from '../testing/start-conversation.ts';
import type { Channel } from './channel.ts';
import type { MessageRecord } from './message.ts';

let conversation: Awaited<ReturnType<typeof startConversation>>;

beforeAll(async () => {
  conversation = await startConversation();
});

const anyText = fc.string({ unit: 'binary', maxLength: 300 });

describe('any text', () => {
  test('comes out as it went in', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.boolean(), async (text, byAgent) => {
        const { agent, expert } = conversation;
        const [writer, reader] = byAgent ? [await agent(), await expert()] : [await expert(), await agent()];
        const record = await writer.send(text);
        expect(await reader.channel.open(record)).toMatchObject({ text, protection: 'sequenced' });
      }),
    );
  });

  test('is refused with any bit flipped, wherever it is', async () => {
    const { agent, expert } = conversation;
    const record = await (await agent()).send('The question that everything is about.');
    const reader = await expert();
    const members = ['iv', 'ciphertext', 'tag', 'ephemeralPublicKey', 'signature'] as const;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...members), fc.nat(), async (member, at) => {
        const { encrypted, signature } = record;
        const flipped = flip({ ...encrypted, signature }[member], at);
        const altered =
          member === 'signature'
            ? { ...record, signature: flipped }
            : { ...record, encrypted: { ...encrypted, [member]: flipped } };
        const refused = { name: 'RelayError', code: expect.stringMatching(/^wrong_(signature|sender_key)$/) };
        await expect(reader.channel.open(altered)).rejects.toMatchObject(refused);
      }),
    );
    expect(await reader.channel.open(record)).toMatchObject({ protection: 'sequenced' });
  });
});

/** What somebody does: 0 is the agent, 1 and 2 are two devices of the expert. */
const moves = fc.array(fc.record({ who: fc.nat(2), sends: fc.nat(2) }), { minLength: 1, maxLength: 10 });

describe('any conversation of an agent and two devices', () => {
  test('is accepted by everybody in the order of the list, however their messages crossed', async () => {
    await fc.assert(
      fc.asyncProperty(moves, async (plan) => {
        const { list, everybody } = await play(plan);
        for (const { channel, rest } of everybody) {
          for (const record of rest) await channel.open(record);
        }
        const late = await conversation.expert();
        for (const record of list) await late.channel.open(record);
      }),
      { numRuns: 40 },
    );
  });

  test('says of each message whether it had seen the last one of its reader', async () => {
    await fc.assert(
      fc.asyncProperty(moves, fc.boolean(), async (plan, byAgent) => {
        const { list, before } = await play(plan);
        const { channel } = await (byAgent ? conversation.agent() : conversation.expert());
        const role = byAgent ? 'consumer' : 'provider';
        let last: number | undefined;
        for (const [index, record] of list.entries()) {
          const opened = await channel.open(record);
          if (record.role === role) {
            last = index;
            expect(opened).not.toHaveProperty('seenYourLast');
          } else {
            const hadSeen = last === undefined || before[index]?.has(last);
            expect(opened).toHaveProperty('seenYourLast', hadSeen);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test('shows nothing twice, and nothing before what its sender had seen, whatever the relay makes of the list', async () => {
    const lie = fc.array(fc.nat(), { maxLength: 15 });
    await fc.assert(
      fc.asyncProperty(moves, lie, fc.boolean(), async (plan, picks, byAgent) => {
        const { list, before } = await play(plan);
        const { channel } = await (byAgent ? conversation.agent() : conversation.expert());
        const shown = new Set<number>();
        for (const pick of list.length === 0 ? [] : picks) {
          const index = pick % list.length;
          const complete = [...(before[index] ?? [])].every((earlier) => shown.has(earlier));
          const outcome = await opened(channel, list[index] as MessageRecord);
          if (shown.has(index)) expect(outcome).toBe('message_replayed');
          else expect(outcome).toBe(complete ? 'shown' : 'message_missing');
          if (outcome === 'shown') shown.add(index);
        }
      }),
      { numRuns: 60 },
    );
  });
});

/** Each move: somebody reads the list, then sends. The list is in the order of sending. */
async function play(plan: readonly { who: number; sends: number }[]) {
  const everybody = [await conversation.agent(), await conversation.expert(), await conversation.expert()];
  const list: MessageRecord[] = [];
  /** For each message, all that its sender had read or sent. */
  const before: Set<number>[] = [];
  const known = everybody.map(() => new Set<number>());
  const read = everybody.map(() => 0);
  for (const [turn, { who, sends }] of plan.entries()) {
    const person = everybody[who];
    const knows = known[who];
    if (!person || !knows) continue;
    // Every other move is made without looking at the list first.
    if (turn % 2 === 0) {
      for (let index = read[who] ?? 0; index < list.length; index += 1) {
        await person.channel.open(list[index] as MessageRecord);
        knows.add(index);
      }
      read[who] = list.length;
    }
    for (let count = 0; count < sends; count += 1) {
      before.push(new Set(knows));
      knows.add(list.length);
      list.push(await person.send(`${list.length}`));
    }
  }
  const rest = everybody.map((person, who) => ({ ...person, rest: list.slice(read[who]) }));
  return { list, before, everybody: rest };
}

async function opened(channel: Channel, record: MessageRecord): Promise<string> {
  try {
    await channel.open(record);
    return 'shown';
  } catch (error) {
    return (error as { code: string }).code;
  }
}

function flip(base64: string, at: number): string {
  const bytes = Buffer.from(base64, 'base64');
  const bit = at % (bytes.length * 8);
  bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return bytes.toString('base64');
}
