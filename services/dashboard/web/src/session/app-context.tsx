import { createExpert, type Expert } from '@expert-relay/sdk/expert';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import type { Me } from '../generated/api.ts';
import { endNotifications } from '../notifications/notifications.ts';
import { relayFetch } from '../relay/call.ts';
import { createLive, type Live } from '../relay/live.ts';
import { clearOwners, findOwners, isFingerprint, openStorage, type Storage } from '../storage/storage.ts';
import { createUnsent, type Unsent } from '../storage/unsent.ts';
import { useStore } from '../ui/store.ts';
import {
  createExpertKey,
  type ExpertKey,
  type ExpertKeyState,
  fingerprintName,
} from '../vault/expert-key.ts';

/** The objects that every page of a signed-in expert uses. */
export interface AppContext {
  readonly me: Me;
  readonly storage: Storage;
  readonly live: Live;
  readonly expertKey: ExpertKey;
  readonly unsent: Unsent;
}

/** What happens to the expert keys that other users of this browser left in it. */
export type KeysOfOthers = 'keep' | 'remove';

/** `ask` lets the expert decide before a key of somebody else is deleted. */
export async function createAppContext(
  me: Me,
  ask: (storage: Storage) => Promise<KeysOfOthers>,
): Promise<AppContext> {
  const storage = await openStorage(me.userId);
  await forgetOthers(me.userId, storage, ask).catch(() => {});
  const live = createLive(me);
  const expertKey = createExpertKey({ storage, tabs: live.tabs });
  await expertKey.restore();
  expertKey.follow();
  return { me, storage, live, expertKey, unsent: createUnsent(storage, live.tabs) };
}

/** The users and fingerprints whose values this user keeps. */
const keptName = 'kept-owners';
const lastUserName = 'expert-relay:last-user';

/** Deletes what other users stored in this browser, apart from their keys that this user keeps. */
async function forgetOthers(
  userId: string,
  storage: Storage,
  ask: (storage: Storage) => Promise<KeysOfOthers>,
): Promise<void> {
  const own = [userId, (await storage.get(fingerprintName)) ?? userId];
  const others = (await findOwners()).filter((owner) => !own.includes(owner));
  const before: string[] = JSON.parse((await storage.get(keptName)) ?? '[]');
  let kept = others.filter((owner) => before.includes(owner));
  const isAsked = others.some((owner) => isFingerprint(owner) && !kept.includes(owner));
  if (isAsked && (await ask(storage)) === 'keep') {
    kept = others;
    await storage.set(keptName, JSON.stringify(kept));
  }
  const forgotten = others.filter((owner) => !kept.includes(owner));
  await clearOwners(forgotten);
  const lastUser = localStorage.getItem(lastUserName) ?? userId;
  localStorage.setItem(lastUserName, userId);
  if (forgotten.length === 0 && lastUser === userId) return;
  // Each user decides about notifications.
  await endNotifications();
}

const Context = createContext<(AppContext & { readonly expert: Expert }) | undefined>(undefined);

export function AppContextProvider({ context, children }: { context: AppContext; children: ReactNode }) {
  const { me, storage, live, expertKey } = context;
  const key = useStore(expertKey.state);
  const root = key.kind === 'ready' || key.kind === 'loading' ? key.root : undefined;
  const expert = useMemo(
    () =>
      createExpert({
        session: true,
        url: location.origin,
        hubUrl: me.hubUrl,
        fetch: relayFetch,
        store: storage,
        listen: live.listenPaced,
        ...(root && { root }),
      }),
    [me, storage, live, root],
  );
  const value = useMemo(() => ({ ...context, expert }), [context, expert]);
  return <Context value={value}>{children}</Context>;
}

export function useAppContext(): AppContext & { readonly expert: Expert } {
  const context = useContext(Context);
  if (!context) throw new Error('Only components within AppContextProvider have it.');
  return context;
}

export const useExpertKey = (): ExpertKeyState => useStore(useAppContext().expertKey.state);
