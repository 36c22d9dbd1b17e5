import type { Json, LyingRelay } from '@expert-relay/testkit';
import type { AgentExpectation } from '@expert-relay/testkit/lies';
import { makeAgentKeys } from '../../crypto/agent-keys.ts';
import { makeRoot } from '../../crypto/index.ts';
import type { Expert, ExpertOptions } from '../../expert/index.ts';
import { quick } from '../quick.ts';
import type { TestSession } from '../use-session.ts';
import type { TestServer } from '../use-test-server.ts';

/** A real relay with a lying proxy in front of it, and the keys of one agent and one expert. */
export interface Setup {
  readonly server: TestServer;
  readonly liar: LyingRelay;
  readonly root: Uint8Array;
  readonly consumerKey: string;
  /** A client of the expert, by key or by session. */
  expert(options?: Partial<Omit<ExpertOptions, 'apiKey'>>): Expert;
  /** What this client calls the relay with. */
  readonly fetch: typeof fetch;
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
export const timingFor = ({ error }: AgentExpectation): typeof quick =>
  error?.reason === 'unexpected_answer' ? { ...quick, patienceMs: 0 } : quick;

/** The messages that each side sends. */
export const texts: readonly string[] = ['one', 'two', 'three'];

export async function makeSetup(server: TestServer, session?: TestSession): Promise<Setup> {
  const [liar, root] = [await server.startLyingRelay(), makeRoot()];
  if (session) {
    const { consumerKey, expert, fetch: browserFetch } = session;
    return { server, liar, root, consumerKey, expert, fetch: browserFetch };
  }
  const { consumerKey, providerKey } = await server.constellation.makeTenant();
  const expert: Setup['expert'] = (options) => server.expert({ apiKey: providerKey, ...options });
  return { server, liar, root, consumerKey, expert, fetch };
}

/** Makes a first conversation, whose messages lies can use. */
export async function makeLieContext({ server, consumerKey, expert, root }: Setup): Promise<LieContext> {
  const conversation = await server.agent({ apiKey: consumerKey }).ask({ question: 'Something else?' });
  const { requestId } = conversation;
  const request = await expert({ root }).request(requestId);
  for (const text of texts) await request.answer(text);
  for (const text of texts) await conversation.send(text);
  const list = await fetch(`${server.gatewayUrl}/api/v1/messages/${requestId}`, {
    headers: { 'x-api-key': consumerKey },
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
