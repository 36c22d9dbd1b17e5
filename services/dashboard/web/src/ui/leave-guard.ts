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

/** Asks the question before a link or a reload leaves the page, while the component is shown. */
export function useLeaveGuard(question: string): void {
  useEffect(() => {
    questions.push(question);
    const onUnload = (event: Event) => event.preventDefault();
    addEventListener('beforeunload', onUnload);
    return () => {
      questions.splice(questions.indexOf(question), 1);
      removeEventListener('beforeunload', onUnload);
    };
  }, [question]);
}
