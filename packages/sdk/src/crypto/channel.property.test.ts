import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startConversation } from '../testing/start-conversation.ts';
import type { Channel } from './channel.ts';
import type { MessageRecord } from './message.ts';

let conversation: Awaited<ReturnType<typeof startConversation>>;

beforeAll(async () => {
  conversation = await startConversation();
});

const anyText = fc.string({ unit: 'binary', minLength: 1, maxLength: 300 });

describe('any text', () => {
  test('is decrypted unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.boolean(), async (text, byAgent) => {
        const { agent, expert } = conversation;
        const [writer, reader] = byAgent ? [await agent(), await expert()] : [await expert(), await agent()];
        const record = await writer.send(text);
        expect(await reader.channel.open(record)).toMatchObject({ text, protection: 'sequenced' });
      }),
    );
  });

  test('is refused if any bit of any member was changed', async () => {
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
        const refused = {
          name: 'RelayError',
          reason: expect.stringMatching(/^wrong_(signature|sender_key)$/),
        };
        await expect(reader.channel.open(altered)).rejects.toMatchObject(refused);
      }),
    );
    expect(await reader.channel.open(record)).toMatchObject({ protection: 'sequenced' });
  });
});

/** The steps of a conversation: device 0 is the agent's, 1 and 2 are the expert's. The last `hidden` messages were not shown. */
const plans = fc.array(fc.record({ device: fc.nat(2), sends: fc.nat(2), hidden: fc.nat(3) }), {
  minLength: 1,
  maxLength: 10,
});
type Plan = readonly { device: number; sends: number; hidden: number }[];

describe('any conversation of an agent and two devices', () => {
  test('is accepted by all devices in the order of the list, even if messages were sent at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const { list, devices } = await runPlan(plan);
        for (const { channel, rest } of devices) {
          for (const record of rest) await channel.open(record);
        }
        const newDevice = await conversation.expert();
        for (const record of list) await newDevice.channel.open(record);
      }),
      { numRuns: 40 },
    );
  });

  test("reports for each message whether its sender had been shown the reader's last one", async () => {
    await fc.assert(
      fc.asyncProperty(plans, fc.boolean(), async (plan, byAgent) => {
        const { list, before } = await runPlan(plan);
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

  test('accepts each message once, and only after those that its sender had been shown, for any list that the relay returns', async () => {
    const anyPicks = fc.array(fc.nat(), { maxLength: 15 });
    await fc.assert(
      fc.asyncProperty(plans, anyPicks, fc.boolean(), async (plan, picks, byAgent) => {
        const { list, before } = await runPlan(plan);
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

/** Runs the steps: a device reads the list, then sends. The list is in the order of sending. */
async function runPlan(plan: Plan) {
  const devices = [await conversation.agent(), await conversation.expert(), await conversation.expert()];
  const list: MessageRecord[] = [];
  /** For each message, all that its sender had been shown or had sent, and all that their senders had. */
  const before: Set<number>[] = [];
  /** By device: the hashes of the messages that it has read, by their place in the list. */
  const read = devices.map(() => [] as string[]);
  const sent = devices.map(() => new Set<number>());
  const withBefore = (places: Iterable<number>) =>
    new Set([...places].flatMap((place) => [place, ...(before[place] ?? [])]));
  for (const [step, { device: index, sends, hidden }] of plan.entries()) {
    const device = devices[index];
    const [hashes, own] = [read[index], sent[index]];
    if (!device || !hashes || !own) continue;
    // Every second step sends without reading the list first.
    if (step % 2 === 0) {
      for (let at = hashes.length; at < list.length; at += 1) {
        hashes.push((await device.channel.open(list[at] as MessageRecord)).hash);
      }
    }
    const shown = hashes.slice(0, Math.max(0, hashes.length - hidden));
    for (let count = 0; count < sends; count += 1) {
      before.push(withBefore([...shown.keys(), ...own]));
      own.add(list.length);
      list.push(await device.send(`${list.length}`, { shown: device.channel.endsOf(shown) }));
    }
  }
  const withRest = devices.map((device, index) => ({ ...device, rest: list.slice(read[index]?.length) }));
  return { list, before, devices: withRest };
}

async function opened(channel: Channel, record: MessageRecord): Promise<string> {
  try {
    await channel.open(record);
    return 'shown';
  } catch (error) {
    return (error as { reason: string }).reason;
  }
}

function flip(base64: string, at: number): string {
  const bytes = Buffer.from(base64, 'base64');
  const bit = at % (bytes.length * 8);
  bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return bytes.toString('base64');
}
