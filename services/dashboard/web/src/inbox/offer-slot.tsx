import { Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { useAppContext } from '../session/app-context.tsx';
import { preferences } from '../storage/preferences.ts';
import { lazyPage } from '../ui/lazy-page.tsx';
import { useStore } from '../ui/store.ts';
import { useCounts } from './inbox-context.tsx';

const NotificationOffer = lazyPage(async () => (await import('../endpoints/offer.tsx')).NotificationOffer);

/** Stored when the expert has answered the offer in this browser. */
const name = 'notifications-offered';

/** Offers notifications after the first answer, once. */
export function OfferSlot() {
  const { storage } = useAppContext();
  const { notifications } = useStore(preferences);
  const hasAnswered = useCounts()?.answered;
  const [isDue, setIsDue] = useState(false);
  useEffect(() => {
    void storage.get(name).then((value) => setIsDue(!value));
  }, [storage]);
  const onAnswered = useCallback(() => {
    setIsDue(false);
    void storage.set(name, 'true').catch(() => {});
  }, [storage]);
  // Once it is shown it stays, to say what came of it.
  const isOffered = useRef(false);
  isOffered.current ||= isDue && Boolean(hasAnswered) && notifications === 'off';
  if (!isDue || !isOffered.current) return null;
  return (
    <Suspense>
      <NotificationOffer onAnswered={onAnswered} />
    </Suspense>
  );
}
