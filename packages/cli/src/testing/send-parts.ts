import { openExpertKeys } from '@expert-relay/sdk/crypto';
import { digestSubmission, openChannel, type Part, parsePublicKey } from '@expert-relay/sdk/crypto/wire';

export interface OtherClient {
  readonly gatewayUrl: string;
  readonly providerKey: string;
  /** The root of the expert, who has picked the request up. */
  readonly root: Uint8Array;
}

/** Sends what an expert's client of another make may send: nothing checks these parts. It has been shown the whole list. */
export async function sendParts(
  { gatewayUrl, providerKey, root }: OtherClient,
  requestId: string,
  { text, parts }: { readonly text: string; readonly parts: readonly Part[] },
): Promise<void> {
  const call = async (path: string, body?: object): Promise<ReturnType<typeof JSON.parse>> => {
    const headers = { 'x-api-key': providerKey, 'content-type': 'application/json' };
    const asked = body && { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(`${gatewayUrl}/api/v1/${path}/${requestId}`, { headers, ...asked });
    if (!response.ok) throw new Error(await response.text());
    return await response.json();
  };
  const { messages, context, ...listed } = await call('messages');
  const { refCode, agentVersions, agentName, question, plaintext, answerForm, keySignature } = listed;
  const asked = { refCode, agentVersions, agentName, question, plaintext, answerForm };
  const channel = await openChannel({
    requestId,
    role: 'provider',
    keySignature,
    own: await (await openExpertKeys(root)).keysFor(requestId),
    peer: {
      sign: parsePublicKey(listed.consumerSignPubKey, 'sign'),
      encrypt: parsePublicKey(listed.consumerEncryptPubKey, 'encrypt'),
    },
    submission: await digestSubmission({ ...asked, messages: context }),
  });
  for (const message of messages) await channel.open(message);
  await call('message', { role: 'provider', ...(await channel.seal(text, { parts })) });
}
