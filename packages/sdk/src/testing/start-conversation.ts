import { makeAgentKeys } from '../crypto/agent-keys.ts';
import { type Channel, openChannel, type SealOptions } from '../crypto/channel.ts';
import type { ChannelState } from '../crypto/history.ts';
import { makeRoot, openExpertKeys } from '../crypto/index.ts';
import { checkExchange, type Role } from '../crypto/key-exchange.ts';
import type { MessageRecord } from '../crypto/message.ts';
import { digestSubmission } from '../crypto/submission.ts';

/** One device of the agent or the expert. `send` returns the record that the relay would list. */
export interface Device {
  readonly channel: Channel;
  send(text: string, options?: SealOptions): Promise<MessageRecord>;
}

/** An agent and an expert who have exchanged their keys. Each call of `agent` or `expert` returns a new device, which has read nothing. */
export async function startConversation(requestId = 'Qm9vQmFyQmF6UXV4MTIzNA') {
  const own = await makeAgentKeys();
  const expert = await openExpertKeys(makeRoot());
  const provider = await expert.keysFor(requestId);
  const submission = await digestSubmission({ refCode: 'HS-7KQ2M9XD', question: 'Is it safe?' });
  const consumer = { sign: own.signPublic, encrypt: own.encryptPublic };
  const keySignature = await expert.signExchange({
    requestId,
    consumer,
    providerEncrypt: provider.encryptPublic,
    submission,
  });
  const exchange = {
    providerSignPubKey: provider.signPublic.pem,
    providerEncryptPubKey: provider.encryptPublic.pem,
    keySignature,
  };
  const peer = await checkExchange({ requestId, own: consumer, exchange, submission });
  const device = async (role: Role, state?: ChannelState): Promise<Device> => {
    const side = role === 'consumer' ? { own, peer } : { own: provider, peer: consumer };
    const channel = await openChannel({ requestId, role, ...side, submission, keySignature, state });
    return { channel, send: async (text, options) => ({ role, ...(await channel.seal(text, options)) }) };
  };
  return {
    agent: (state?: ChannelState) => device('consumer', state),
    expert: (state?: ChannelState) => device('provider', state),
    own,
    peer,
  };
}
