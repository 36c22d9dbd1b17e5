import type { Constellation, Tenant } from '@expert-relay/constellation';
import type { Json, LyingRelay } from '@expert-relay/testkit';
import { makeAgentKeys } from '../../crypto/index.ts';
import { createExpert, type Expert } from '../../expert/index.ts';
import { createRelay } from '../../index.ts';
import { quick } from '../quick.ts';

/** What a liar has at hand. */
export interface Scene {
  readonly gatewayUrl: string;
  /** Public keys of an attacker, as PEM. */
  readonly foreign: { readonly sign: string; readonly encrypt: string };
  /** What each side said in another conversation of the same two: all of `texts`. */
  readonly elsewhere: Readonly<Record<'consumer' | 'provider', readonly Json[]>>;
  /** That conversation's request. */
  readonly elsewhereId: string;
}

/** What is said, on either side. */
export const texts: readonly string[] = ['one', 'two', 'three'];

/** A real relay with a lying proxy in front of it, an agent and an expert. */
export interface Stage {
  readonly world: Constellation;
  readonly tenant: Tenant;
  readonly liar: LyingRelay;
  readonly root: Uint8Array;
}

/** An expert who calls the relay directly. */
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
