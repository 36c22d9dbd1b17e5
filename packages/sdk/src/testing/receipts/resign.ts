import type { AgentKeys } from '../../crypto/agent-keys.ts';
import { toBase64 } from '../../crypto/base64.ts';
import { signedReceipt, writeCanonical } from '../../receipt/receipt-file.ts';

/** A receipt with other members, signed by an agent. */
export async function resign(receipt: string, changes: object, own: AgentKeys): Promise<string> {
  const { signature: _, ...members } = { ...JSON.parse(receipt), ...changes };
  return writeCanonical({ ...members, signature: toBase64(await own.sign(signedReceipt(members))) });
}
