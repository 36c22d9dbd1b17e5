import { useEffect } from 'react';
import { type BrowserLocationHook, navigate, useBrowserLocation } from 'wouter/use-browser-location';

const questions: string[] = [];
const mayLeave = (): boolean => questions.every((question) => confirm(question));

const guardedNavigate: typeof navigate = (...to) => {
  if (mayLeave()) navigate(...to);
};

/** The location of the page. What a component guards is left only after a question. */
export const useGuardedLocation: BrowserLocationHook = (options) => [
  useBrowserLocation(options)[0],
  guardedNavigate,
];

/** Asks the question before the expert leaves the page, while the component is shown. */
export function useLeaveGuard(question: string): void {
  useEffect(() => {
    questions.push(question);
    let isReturning = false;
    const onUnload = (event: Event) => event.preventDefault();
    // The address has already changed. The router must not see it, and it is changed again.
    const onBack = (event: Event) => {
      if (!isReturning && mayLeave()) return;
      event.stopImmediatePropagation();
      isReturning = !isReturning;
      if (isReturning) history.forward();
    };
    addEventListener('beforeunload', onUnload);
    addEventListener('popstate', onBack, { capture: true });
    return () => {
      questions.splice(questions.indexOf(question), 1);
      removeEventListener('beforeunload', onUnload);
      removeEventListener('popstate', onBack, { capture: true });
    };
  }, [question]);
}
