import { beforeEach, describe, expect, test } from '@jest/globals';
import { RelayError, type RelayErrorName } from '../relay-error.ts';
import { type Device, startConversation } from '../testing/start-conversation.ts';
import { openChannel } from './channel.ts';
import type { MessageRecord } from './message.ts';

const sequenced = (text: string) => expect.objectContaining({ text, protection: 'sequenced' });
const refused = (error: RelayErrorName) => {
  const { code, reason } = new RelayError(error, '');
  return expect.objectContaining({ name: 'RelayError', code, reason });
};

/** The form of a message's hash in a state. */
const hash = 'A'.repeat(43).concat('=');

let conversation: Awaited<ReturnType<typeof startConversation>>;
let agent: Device;
let expert: Device;

beforeEach(async () => {
  conversation = await startConversation();
  [agent, expert] = [await conversation.agent(), await conversation.expert()];
});

describe('a channel', () => {
  test('decrypts messages of both sides', async () => {
    const question = await agent.send('Is it safe? 🐘');
    expect(await expert.channel.open(question)).toEqual(sequenced('Is it safe? 🐘'));
    const answer = await expert.send('Yes.');
    expect(await agent.channel.open(question)).toEqual(sequenced('Is it safe? 🐘'));
    expect(await agent.channel.open(answer)).toEqual(sequenced('Yes.'));
  });

  test('encrypts the same text to other bytes each time', async () => {
    const messageId = crypto.randomUUID();
    const [one, other] = [
      await agent.channel.seal('a', { messageId }),
      await agent.channel.seal('a', { messageId }),
    ];
    expect(one.encrypted.iv).not.toBe(other.encrypted.iv);
    expect(one.encrypted.ciphertext).not.toBe(other.encrypted.ciphertext);
  });

  test('links messages that are encrypted at the same time in the order of the calls', async () => {
    const [first, second] = await Promise.all([agent.send('1'), agent.send('2')]);
    await expect(expert.channel.open(second)).rejects.toEqual(refused('message_missing'));
    expect(await expert.channel.open(first)).toEqual(sequenced('1'));
    expect(await expert.channel.open(second)).toEqual(sequenced('2'));
    await expect(expert.channel.open(second)).rejects.toEqual(refused('message_replayed'));
  });

  test('accepts messages that two devices sent at the same time in any order of the list', async () => {
    const phone = await conversation.expert();
    const fromLaptop = await expert.send('laptop');
    const list = [await phone.send('phone 1'), fromLaptop, await phone.send('phone 2')];
    for (const { channel } of [agent, expert, phone]) for (const record of list) await channel.open(record);
    const next = await expert.send('both seen');
    for (const { channel } of [agent, phone])
      expect(await channel.open(next)).toEqual(sequenced('both seen'));
  });

  test('notices that one of its own messages is missing from the list or in the wrong order', async () => {
    const [first, second] = [await agent.send('1'), await agent.send('2')];
    await expect(agent.channel.open(second)).rejects.toEqual(refused('message_missing'));
    expect(await agent.channel.open(first)).toEqual(sequenced('1'));
    expect(await agent.channel.open(second)).toEqual(sequenced('2'));
    await expect(agent.channel.open(second)).rejects.toEqual(refused('message_replayed'));
  });

  test('continues after a message that it refused', async () => {
    const [first, second] = [await agent.send('1'), await agent.send('2')];
    await expect(expert.channel.open({ ...first, signature: '' })).rejects.toEqual(
      refused('malformed_message'),
    );
    expect(await expert.channel.open(first)).toEqual(sequenced('1'));
    expect(await expert.channel.open(second)).toEqual(sequenced('2'));
  });

  test.each([null, undefined, 7, 'text', [], {}, { role: 'consumer', encrypted: null }])(
    'refuses %j as a record',
    async (record) => {
      const given = record as unknown as MessageRecord;
      await expect(expert.channel.open(given)).rejects.toEqual(refused('malformed_message'));
    },
  );

  test('refuses its own keys as those of the other side', async () => {
    const { own } = conversation;
    const peer = { sign: own.signPublic, encrypt: own.encryptPublic };
    const submission = new Uint8Array(32);
    const opening = openChannel({ requestId: 'r', role: 'consumer', own, peer, submission });
    await expect(opening).rejects.toEqual(refused('invalid_public_key'));
  });
});

describe('the length of a message', () => {
  // 784,000 bytes without the marker, the number of links, the length and the number of parts.
  const longest = 783_993;

  test('has a maximum with which the call is smaller than 1 MiB', async () => {
    const text = `a${'é'.repeat((longest - 1) / 2)}`;
    const record = await agent.send(text);
    expect(Buffer.byteLength(JSON.stringify(record))).toBeLessThan(1_048_576);
    expect((await expert.channel.open(record)).text === text).toBe(true);
  });

  test('above the maximum is refused, and no message is recorded', async () => {
    await expect(agent.send('a'.repeat(longest + 1))).rejects.toEqual(refused('message_too_large'));
    expect(agent.channel.state().seen).toEqual([]);
    expect(await expert.channel.open(await agent.send('short'))).toEqual(sequenced('short'));
  });

  test('is hidden: after one message, all texts up to 985 bytes get the same length, longer ones are rounded up', async () => {
    const lengthOf = async (text: string) => {
      const { agent } = await startConversation();
      const [device] = [await agent()];
      await device.send('before');
      return Buffer.from((await device.send(text)).encrypted.ciphertext, 'base64').length;
    };
    for (const text of ['Yes.', 'No.', 'x'.repeat(985)]) expect(await lengthOf(text)).toBe(1_024);
    expect(await lengthOf('x'.repeat(986))).toBe(1_088);
    expect(await lengthOf('x'.repeat(100_000))).toBe(await lengthOf('x'.repeat(98_500)));
  });
});

describe('whether a message was written after reading the last one of the other side', () => {
  test('is reported to both sides, also after a restart', async () => {
    const first = await agent.send('May I delete the test database?');
    expect(await expert.channel.open(first)).toHaveProperty('seenYourLast', true);
    const early = await expert.send('Yes.');
    await agent.send('WAIT: may I also delete PRODUCTION?');
    const again = await conversation.agent(JSON.parse(JSON.stringify(agent.channel.state())));
    expect(await again.channel.open(early)).toHaveProperty('seenYourLast', false);
    expect(await again.channel.open(first)).not.toHaveProperty('seenYourLast');
  });
});

test('parts arrive in the order of their kinds, and those of one kind as they were given', async () => {
  const part = (kind: number, text: string) => ({ kind, body: new TextEncoder().encode(text) });
  const record = await agent.send('', { parts: [part(202, 'c'), part(201, 'a'), part(201, 'b')] });
  const { text, parts } = await expert.channel.open(record);
  expect(text).toBe('');
  expect(parts).toEqual([part(201, 'a'), part(201, 'b'), part(202, 'c')]);
});

describe('what had been shown when a text was written', () => {
  const links = ({ channel }: Device) => {
    const { seen } = channel.state();
    const [, , ...positions] = seen.at(-1) ?? [];
    return positions.map((position) => seen[position]?.[0]);
  };
  let records: MessageRecord[];
  let early: string;
  let late: string;

  beforeEach(async () => {
    records = [
      await agent.send('May I delete the test database?'),
      await agent.send('WAIT: may I also delete PRODUCTION?'),
    ];
    [early = '', late = ''] = await readAll(expert);
  });

  /** Opens all messages on a device and returns their hashes. */
  const readAll = async ({ channel }: Device) => {
    const opened: string[] = [];
    for (const record of records) opened.push((await channel.open(record)).hash);
    return opened;
  };

  test('is what the message links to, and so the agent is not told that its last message was seen', async () => {
    const answer = await expert.send('Yes.', { shown: [early] });
    expect(links(expert)).toEqual([early]);
    expect(await agent.channel.open(answer)).toHaveProperty('seenYourLast', false);
    const next = await expert.send('No!', { shown: [late] });
    expect(await agent.channel.open(next)).toHaveProperty('seenYourLast', true);
  });

  test('is everything that was opened when the caller does not say', async () => {
    expect(await agent.channel.open(await expert.send('Yes.'))).toHaveProperty('seenYourLast', true);
    expect(links(expert)).toEqual([late]);
  });

  test("includes this device's own later messages, also after a restart", async () => {
    await expert.send('One.', { shown: [early] });
    const one = expert.channel.state().seen.at(-1)?.[0];
    const again = await conversation.expert(JSON.parse(JSON.stringify(expert.channel.state())));
    await again.send('Two.', { shown: [early] });
    expect(links(again)).toEqual([one]);
    await again.send('Three.', { shown: [late] });
    expect(links(again)).toHaveLength(2);
    expect(links(again)[0]).toBe(late);
    expect(again.channel.state().sealed).toHaveLength(1);
  });

  test("does not include messages of the expert's other devices that were not shown here", async () => {
    const phone = await conversation.expert();
    await readAll(phone);
    const { hash } = await expert.channel.open(await phone.send('No!'));
    await expert.send('Yes.', { shown: [early] });
    expect(links(expert)).toEqual([early]);
    await expert.send('No.', { shown: [hash] });
    expect(links(expert)).toContain(hash);
  });

  test('has a short form, in the order in which the messages were opened', async () => {
    expect(expert.channel.endsOf([late, early])).toEqual([late]);
    expect(expert.channel.endsOf([early])).toEqual([early]);
    expect(expert.channel.endsOf([])).toEqual([]);
    expect(() => expert.channel.endsOf([hash])).toThrow(
      expect.objectContaining({ reason: 'message_missing' }),
    );
    await expect(expert.send('Yes.', { shown: [hash] })).rejects.toEqual(refused('message_missing'));
  });
});

describe('the state of a channel', () => {
  test('allows a device to continue after a restart', async () => {
    const first = await agent.send('1');
    await expert.channel.open(first);
    const again = await conversation.agent(JSON.parse(JSON.stringify(agent.channel.state())));
    expect(await again.channel.open(first)).toEqual(sequenced('1'));
    await expect(again.channel.open(first)).rejects.toEqual(refused('message_replayed'));
    expect(await expert.channel.open(await again.send('2'))).toEqual(sequenced('2'));
  });

  test('is not needed by a device that reads the whole list', async () => {
    const list = [await agent.send('1'), await agent.send('2')];
    const again = await conversation.agent();
    for (const record of list) await again.channel.open(record);
    for (const record of [...list, await again.send('3')]) await expert.channel.open(record);
  });

  test.each([
    {},
    { seen: [['?', 0]], ends: [], sealed: [], unlisted: [] },
    { seen: [[hash, 0.5]], ends: [], sealed: [], unlisted: [] },
    { seen: [[hash, 0, 0]], ends: [], sealed: [], unlisted: [] },
    { seen: [[hash, 0, -1]], ends: [], sealed: [], unlisted: [] },
    { seen: [], ends: [], unlisted: [] },
    { seen: [], ends: [], sealed: [], unlisted: 'none' },
  ])('is refused when it is %j', async (state) => {
    await expect(conversation.agent(state as never)).rejects.toEqual(refused('invalid_input'));
  });
});
