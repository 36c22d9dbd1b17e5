import { call } from '../calls/call.ts';
import type { RequestList, SessionConversation } from '../generated/api.ts';
import type { Storage } from '../storage/storage.ts';
import { createStore, type Store } from '../ui/store.ts';

/** The expert keys that were replaced, as far as this browser knows. */
export interface EarlierKeys {
  /** Their public identities, in base64. */
  readonly identities: readonly string[];
  /** The names of the agents that were answered with the last of them. They may not accept the new key yet. */
  readonly agents: readonly string[];
}

const name = 'earlier-expert-keys';

export function createEarlierKeys(storage: Pick<Storage, 'get' | 'set'>) {
  const state: Store<EarlierKeys> = createStore<EarlierKeys>({ identities: [], agents: [] });

  async function keep(change: Partial<EarlierKeys>): Promise<void> {
    state.set({ ...state.get(), ...change });
    await storage.set(name, JSON.stringify(state.get())).catch(() => {});
  }

  return {
    state,
    async restore(): Promise<void> {
      const kept = await storage.get(name).catch(() => undefined);
      if (kept !== undefined) state.set(JSON.parse(kept));
    },
    /** The key with this identity is not in use any more. */
    async add(identity: string): Promise<void> {
      const { identities } = state.get();
      if (identities.includes(identity)) return;
      await keep({ identities: [...identities, identity] });
      const agents = await agentsOf(identity).catch(() => []);
      await keep({ agents });
    },
    /** The owners of these agents have the new fingerprint. */
    forgetAgents: () => keep({ agents: [] }),
  };
}

/** The names of the agents whose newest requests were picked up with this key. */
export async function agentsOf(identity: string): Promise<string[]> {
  const { body } = await call<RequestList>('/api/requests?content=true&limit=200');
  const names = body.requests.flatMap(({ agent, providerSignPubKey }) =>
    agent?.name && identityIn(providerSignPubKey) === identity ? agent.name : [],
  );
  return [...new Set(names)];
}

/** Whether a request was picked up with one of these keys. */
export async function isOfKeys(requestId: string, identities: readonly string[]): Promise<boolean> {
  const { body } = await call<SessionConversation>(`/api/requests/${encodeURIComponent(requestId)}?limit=1`);
  return identities.includes(identityIn(body.providerSignPubKey) ?? '');
}

/** A PEM block of an Ed25519 key ends with the 32 bytes of the key. */
function identityIn(pem: string | null | undefined): string | undefined {
  const base64 = pem?.replaceAll(/-----[^-]*-----|\s/g, '');
  if (!base64) return undefined;
  try {
    return btoa(atob(base64).slice(-32));
  } catch {
    return undefined;
  }
}
