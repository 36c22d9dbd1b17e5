import { createCipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { openExpertKeys } from '@expert-relay/sdk/crypto';
import { digestSubmission, makeAgentKeys, parsePublicKey } from '@expert-relay/sdk/crypto/wire';

interface PlainClient {
  readonly url: string;
  readonly apiKey: string;
  /** Of an expert who has picked the request up. Without it, the client makes keys and does not sign them. */
  readonly root?: Uint8Array;
}

type Listed = Readonly<Record<string, string | undefined>> & {
  readonly context?: readonly { readonly role: string; readonly content: string }[];
};

/** Answers as an expert's client does that knows no frames: nothing says which messages came before. */
export async function answerWithoutFrame(client: PlainClient, refCode: string, text: string): Promise<void> {
  const { url, apiKey, root } = client;
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const read = async (path: string) => (await (await fetch(url + path, { headers })).json()) as Listed;
  async function post(path: string, body: object): Promise<void> {
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(await answer.text());
  }
  const { requestId = '' } = await read(`/api/v1/requests/by-ref/${refCode}`);
  const own = root ? await (await openExpertKeys(root)).keysFor(requestId) : await makeAgentKeys();
  if (!root) {
    await post(`/api/v1/key-exchange/${requestId}`, {
      providerSignPubKey: own.signPublic.pem,
      providerEncryptPubKey: own.encryptPublic.pem,
    });
  }
  const listed = await read(`/api/v1/messages/${requestId}`);
  const agent = {
    sign: parsePublicKey(listed.consumerSignPubKey, 'sign'),
    encrypt: parsePublicKey(listed.consumerEncryptPubKey, 'encrypt'),
  };
  const submission = await digestSubmission({ ...listed, refCode, messages: listed.context ?? [] });
  const keys = [agent.sign, agent.encrypt, own.signPublic, own.encryptPublic].map(({ raw }) => raw);
  const exchange = tuple('expert-relay/v4/key-exchange', requestId, ...keys, submission, Buffer.of(4));
  const conversation = createHash('sha256').update(exchange).digest();
  const messageId = crypto.randomUUID();
  const info = tuple('expert-relay/v4/message-key', conversation, 'provider');
  const key = hkdfSync('sha256', await own.agree(agent.encrypt), messageId, info, 32);
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key), iv);
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const sealed = { iv, ciphertext, tag: cipher.getAuthTag(), ephemeralPublicKey: own.encryptPublic.raw };
  const { ephemeralPublicKey, tag } = sealed;
  const start = tuple('expert-relay/v4/message', conversation, 'provider', messageId);
  const signed = Buffer.concat([start, tuple(ephemeralPublicKey, iv, ciphertext, tag)]);
  await post(`/api/v1/message/${requestId}`, {
    role: 'provider',
    messageId,
    encrypted: Object.fromEntries(Object.entries(sealed).map(([name, bytes]) => [name, toBase64(bytes)])),
    signature: toBase64(await own.sign(new Uint8Array(signed))),
  });
}

/** As docs/crypto-keys.md defines it. */
function tuple(...members: readonly (string | Uint8Array)[]): Buffer {
  return Buffer.concat(
    members.flatMap((member) => {
      const bytes = Buffer.from(member as string);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
