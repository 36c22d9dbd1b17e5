import { createSessionExpert, type Expert } from '@expert-relay/sdk/expert';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { createLive, type Live } from '../live/live.ts';
import { changePreferences } from '../preferences/preferences.ts';
import { relayFetch } from '../session/call.ts';
import type { Me } from '../session/me.ts';
import { clearOtherUsers, openStorage, type Storage } from '../storage/storage.ts';
import { useStore } from '../ui/store.ts';
import { createExpertKey, type ExpertKey, type ExpertKeyState } from '../vault/expert-key.ts';
import { closeNotifications } from './sign-out.ts';

/** The objects that every page of a signed-in expert uses. */
export interface Services {
  readonly me: Me;
  readonly storage: Storage;
  readonly live: Live;
  readonly expertKey: ExpertKey;
}

export async function createServices(me: Me): Promise<Services> {
  if (await clearOtherUsers(me.userId).catch(() => false)) {
    // Each user decides whether notifications may show questions.
    changePreferences({ notifications: 'off' });
    await closeNotifications().catch(() => {});
  }
  const storage = await openStorage(me.userId);
  const live = createLive(me);
  const expertKey = createExpertKey({ storage, tabs: live.tabs });
  expertKey.follow();
  return { me, storage, live, expertKey };
}

const ServicesContext = createContext<(Services & { readonly expert: Expert }) | undefined>(undefined);

export function ServicesProvider({ services, children }: { services: Services; children: ReactNode }) {
  const { me, storage, live, expertKey } = services;
  const key = useStore(expertKey.state);
  const root = key.kind === 'ready' ? key.root : undefined;
  const expert = useMemo(
    () =>
      createSessionExpert({
        url: location.origin,
        hubUrl: me.hubUrl,
        fetch: relayFetch,
        memory: storage,
        listen: live.listenPaced,
        ...(root && { root }),
      }),
    [me, storage, live, root],
  );
  const value = useMemo(() => ({ ...services, expert }), [services, expert]);
  return <ServicesContext value={value}>{children}</ServicesContext>;
}

export function useServices(): Services & { readonly expert: Expert } {
  const services = useContext(ServicesContext);
  if (!services) throw new Error('Only components within ServicesProvider have services.');
  return services;
}

export const useExpertKey = (): ExpertKeyState => useStore(useServices().expertKey.state);
