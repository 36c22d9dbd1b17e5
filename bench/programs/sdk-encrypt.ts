import { answerCommands } from './answer-commands.ts';
import { repeat } from './timed-run.ts';

interface Keys {
  readonly signPublic: unknown;
  readonly encryptPublic: unknown;
}

interface Channel {
  seal(text: string): Promise<object>;
  open(record: object): Promise<{ text: string }>;
}

/** The used part of the SDK. The SDK is built at the same time as this, so the compiler cannot read its types. */
interface Crypto {
  makeAgentKeys(): Promise<Keys>;
  makeRoot(): Uint8Array;
  openExpertKeys(root: Uint8Array): Promise<{ keysFor(requestId: string): Promise<Keys> }>;
  openChannel(options: object): Promise<Channel>;
}

const entry: string = '@expert-relay/sdk/crypto';
const { makeAgentKeys, makeRoot, openChannel, openExpertKeys }: Crypto = await import(entry);

const text = 'a'.repeat(1024);
// One pair for each call that runs at the same time, since calls of one conversation wait for each other.
const pairs = await Promise.all(Array.from({ length: 32 }, openPair));
let turn = 0;

async function openPair() {
  const requestId = crypto.randomUUID();
  const both = { requestId, submission: new Uint8Array(32) };
  const agent = await makeAgentKeys();
  const expert = await (await openExpertKeys(makeRoot())).keysFor(requestId);
  const publicOf = ({ signPublic, encryptPublic }: Keys) => ({ sign: signPublic, encrypt: encryptPublic });
  return {
    sender: await openChannel({ ...both, role: 'consumer', own: agent, peer: publicOf(expert) }),
    reader: await openChannel({ ...both, role: 'provider', own: expert, peer: publicOf(agent) }),
    last: Promise.resolve(),
  };
}

answerCommands({
  run: repeat(() => {
    const pair = pairs[turn++ % pairs.length];
    if (!pair) throw new Error('no conversation is open');
    // The reader must decrypt messages in the order in which they were encrypted.
    pair.last = pair.last.then(async () => {
      const record = { role: 'consumer', ...(await pair.sender.seal(text)) };
      if ((await pair.reader.open(record)).text !== text) throw new Error('the decrypted text differs');
    });
    return pair.last;
  }),
});
