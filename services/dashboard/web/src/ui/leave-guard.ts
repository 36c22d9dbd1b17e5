import { useEffect } from 'react';

/** The browser asks before the page is closed or loaded again, while the component is shown. */
export function useLeaveGuard(): void {
  useEffect(() => {
    const ask = (event: Event) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, []);
}
