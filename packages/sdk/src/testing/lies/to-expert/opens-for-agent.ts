import type { Json } from '@expert-relay/testkit';
import {
  type MessageRecord,
  type makeRoot,
  openChannel,
  openExpert,
  restoreAgentKeys,
} from '../../../crypto/index.ts';
import { type Conversation, RelayError } from '../../../index.ts';

/** Whether what the expert sent was sealed for the keys that the agent really has. */
export async function opensForAgent(
  conversation: Conversation,
  root: ReturnType<typeof makeRoot>,
  body: Json,
): Promise<boolean> {
  const { requestId } = conversation;
  const { keys } = conversation.export();
  if (!keys) throw new Error('The agent asked without keys.');
  const { signPublic: sign, encryptPublic: encrypt } = await (await openExpert(root)).keysFor(requestId);
  const own = await restoreAgentKeys(keys);
  const channel = await openChannel({ requestId, role: 'consumer', own, peer: { sign, encrypt } });
  try {
    await channel.open(body as unknown as MessageRecord);
    return true;
  } catch (error) {
    // It opened: that others come before it is found only then.
    return error instanceof RelayError && error.code === 'message_missing';
  }
}
