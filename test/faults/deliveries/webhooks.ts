import type { DevUser } from '../../../scripts/local/secrets.ts';
import { createClient } from '../load/client.ts';
import type { Receipt, Receiver, Receivers } from './receivers.ts';

/** A webhook of the agent or of the expert. */
export interface Webhook {
  readonly of: 'agent' | 'expert';
  readonly secret: string;
  receipts(): readonly Receipt[];
}

export async function addWebhooks(
  receivers: Receivers,
  { user, gatewayUrl }: { user: DevUser; gatewayUrl: string },
): Promise<readonly Webhook[]> {
  const client = createClient(gatewayUrl, AbortSignal.timeout(60_000));

  async function add(of: Webhook['of'], { url, receipts }: Receiver, apiKey: string): Promise<Webhook> {
    const response = await client.call({
      method: 'POST',
      path: '/api/v1/webhooks',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({ url }),
    });
    if (response?.status !== 201) throw new Error(`The webhook of the ${of} got ${response?.text}.`);
    return { of, secret: response.json.secret, receipts };
  }

  try {
    return [
      await add('expert', receivers['receiver-1'], user.providerKey),
      await add('agent', receivers['receiver-2'], user.consumerKey),
    ];
  } finally {
    client.close();
  }
}
