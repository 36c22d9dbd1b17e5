import type { Tenant } from '@expert-relay/constellation';
import type { Json, LyingRelay } from '@expert-relay/testkit';
import { makeAgentKeys, makeRoot } from '../../crypto/index.ts';
import { quick } from '../quick.ts';
import type { TestServer } from '../use-test-server.ts';

/** A real relay with a lying proxy in front of it, and the keys of one agent and one expert. */
export interface Setup {
  readonly server: TestServer;
  readonly tenant: Tenant;
  readonly liar: LyingRelay;
  readonly root: Uint8Array;
}

/** Data that lies use. */
export interface LieContext {
  readonly gatewayUrl: string;
  /** Public keys of an attacker, as PEM. */
  readonly attackerKeys: { readonly sign: string; readonly encrypt: string };
  /** The messages of each side in another conversation of this agent and expert: all of `texts`. */
  readonly otherConversation: Readonly<Record<'consumer' | 'provider', readonly Json[]>>;
  /** The request of that conversation. */
  readonly otherRequestId: string;
}

/** Calls are not repeated where all of their answers are invalid. */
export const timingFor = ({ code }: { readonly code?: string | undefined }): typeof quick =>
  code === 'unexpected_answer' ? { ...quick, patience: 0 } : quick;

/** The messages that each side sends. */
export const texts: readonly string[] = ['one', 'two', 'three'];

export async function makeSetup(server: TestServer): Promise<Setup> {
  const [tenant, liar] = [await server.constellation.makeTenant(), await server.startLyingRelay()];
  return { server, tenant, liar, root: makeRoot() };
}

/** Makes a first conversation, whose messages lies can use. */
export async function makeLieContext({ server, tenant, root }: Setup): Promise<LieContext> {
  const conversation = await server
    .agent({ apiKey: tenant.consumerKey })
    .ask({ question: 'Something else?' });
  const { requestId } = conversation;
  const request = await server.expert({ apiKey: tenant.providerKey, root }).request(requestId);
  for (const text of texts) await request.answer(text);
  for (const text of texts) await conversation.send(text);
  const list = await fetch(`${server.gatewayUrl}/api/v1/messages/${requestId}`, {
    headers: { 'x-api-key': tenant.consumerKey },
  });
  const { messages } = (await list.json()) as { messages: Json[] };
  const { signPublic, encryptPublic } = await makeAgentKeys();
  return {
    gatewayUrl: server.gatewayUrl,
    attackerKeys: { sign: signPublic.pem, encrypt: encryptPublic.pem },
    otherConversation: {
      consumer: messages.filter(({ role }) => role === 'consumer'),
      provider: messages.filter(({ role }) => role === 'provider'),
    },
    otherRequestId: requestId,
  };
}
