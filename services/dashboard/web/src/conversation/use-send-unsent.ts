import { useEffect } from 'react';
import { useServices } from '../services/services.tsx';
import { sendUnsent } from './unsent-requests.ts';

/** An open conversation sends its own answers meanwhile. */
const waitMs = 3_000;

/** Sends what was begun before this page was loaded, and again once the expert key is there. */
export function useSendUnsent(): void {
  const { expert, storage } = useServices();
  useEffect(() => {
    if (!globalThis.crypto?.subtle) return;
    const timer = setTimeout(() => void sendUnsent(expert, storage).catch(() => {}), waitMs);
    return () => clearTimeout(timer);
  }, [expert, storage]);
}
