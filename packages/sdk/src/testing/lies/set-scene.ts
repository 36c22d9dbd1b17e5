import type { Constellation, Tenant } from '@expert-relay/constellation';
import type { Json, LyingRelay } from '@expert-relay/testkit';
import { makeAgentKeys } from '../../crypto/index.ts';
import { createExpert, type Expert } from '../../expert/index.ts';
import { createRelay } from '../../index.ts';
import { quick } from '../quick.ts';
import { type Scene, texts } from './scene.ts';

/** A real relay, whoever lies in front of it, and two people. */
export interface Stage {
  readonly world: Constellation;
  readonly tenant: Tenant;
  readonly liar: LyingRelay;
  readonly root: Uint8Array;
}

/** An expert to whom nobody lies. */
export const honestExpert = ({ world, tenant, root }: Omit<Stage, 'liar'>): Expert =>
  createExpert({ url: world.gatewayUrl, apiKey: tenant.providerKey, root, timing: quick });

/** Has the two talk once before. */
export async function setScene(stage: Omit<Stage, 'liar'>): Promise<Scene> {
  const { world, tenant } = stage;
  const relay = createRelay({ url: world.gatewayUrl, apiKey: tenant.consumerKey });
  const conversation = await relay.ask({ question: 'Something else?' });
  const { requestId } = conversation;
  const request = await honestExpert(stage).request(requestId);
  for (const text of texts) await request.answer(text);
  for (const text of texts) await conversation.send(text);
  const list = await fetch(`${world.gatewayUrl}/api/v1/messages/${requestId}`, {
    headers: { 'x-api-key': tenant.consumerKey },
  });
  const { messages } = (await list.json()) as { messages: Json[] };
  const { signPublic, encryptPublic } = await makeAgentKeys();
  return {
    gatewayUrl: world.gatewayUrl,
    foreign: { sign: signPublic.pem, encrypt: encryptPublic.pem },
    elsewhere: {
      consumer: messages.filter(({ role }) => role === 'consumer'),
      provider: messages.filter(({ role }) => role === 'provider'),
    },
    elsewhereId: requestId,
  };
}
