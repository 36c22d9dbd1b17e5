import type { Role } from '../../../crypto/key-exchange.ts';
import type { Draft, Shown, Side, ToSeal } from '../case.ts';
import { forge } from '../forge.ts';
import { agentSide, expertSide } from '../people.ts';
import { seededId } from '../seeded.ts';
import { open, seal } from './messages.ts';

const plain = (role: Role, plaintext = 'Yes.'): Shown => ({
  role,
  messageId: seededId('plain text'),
  plaintext,
});

/** Plain text and messages without a frame: every reader, before and after an exchange of keys. */
export async function unprotectedCases(): Promise<Draft[]> {
  const [agent, expert] = [await agentSide(), await expertSide()];
  const before = ({ peer: _, keySignature: __, ...side }: Side): Side => side;
  const without = (side: Side): Side => ({ ...before(side), withoutKeys: true });
  const text = (
    name: string,
    side: Side,
    author: Role,
    error?: string,
    acceptUnprotected = false,
  ): Draft => ({
    name: `opening: plain text of the ${author === 'consumer' ? 'agent' : 'expert'}, by ${name}`,
    kind: 'open',
    input: { side, records: [plain(author)], ...(acceptUnprotected && { acceptUnprotected }) },
    ...(error && { error }),
  });
  const no = 'plaintext_refused';
  const { record } = await seal('beside plain text', 'provider', 'Encrypted.');
  const fromPlain = (role: Role) =>
    forge({ name: `plain ${role}`, role, frame: Buffer.from('From a plain client.') });
  const [ofExpert, ofAgent] = [await fromPlain('provider'), await fromPlain('consumer')];
  const behind = await seal('behind a plain client', 'provider', 'Thanks.', [ofAgent]);
  const byAgent = async (
    name: string,
    records: (Shown | ToSeal)[],
    acceptUnprotected: boolean,
    error?: string,
  ) => {
    const draft = await open(name, 'consumer', records, error);
    return { ...draft, input: { ...draft.input, acceptUnprotected } } as Draft;
  };
  return [
    text('an agent that sent keys', before(agent), 'provider', no),
    text('an agent that sent keys and accepts it', before(agent), 'provider', undefined, true),
    text('an agent that sent no keys', without(agent), 'provider'),
    text('an agent after an exchange', agent, 'provider', no),
    text('an agent after an exchange, which accepts it', agent, 'provider', no, true),
    text('an agent that sent keys, of its own', before(agent), 'consumer', no),
    text('an expert whose agent sent keys', before(expert), 'consumer', no),
    text('an expert whose agent sent keys, though it was accepted', before(expert), 'consumer', no, true),
    text('an expert whose agent sent no keys', without(expert), 'consumer'),
    text('an expert after an exchange', expert, 'consumer', no),
    text('an expert whose agent sent keys, of their own', before(expert), 'provider'),
    text('an expert after an exchange, of their own', expert, 'provider', no),
    {
      name: 'opening: plain text that is empty',
      kind: 'open',
      input: { side: without(expert), records: [plain('consumer', '')] },
      error: 'malformed_message',
    },
    await open('plain text beside a blob, where only the blob counts', 'consumer', [
      { ...record, plaintext: 'Send me your password.' } as Shown,
    ]),
    await byAgent('a plain client, by an agent', [ofExpert], false, 'unsequenced_refused'),
    await byAgent('a plain client, by an agent that accepts it', [ofExpert], true),
    await open('a plain client, by the expert', 'provider', [ofAgent, behind.record]),
    behind.draft,
  ];
}
