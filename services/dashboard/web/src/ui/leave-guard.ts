import { useEffect } from 'react';
import { type BrowserLocationHook, navigate, useBrowserLocation } from 'wouter/use-browser-location';

const questions: string[] = [];
const mayLeave = (): boolean => questions.every((question) => confirm(question));

/** Not in the types yet, nor in older browsers. */
interface WithNavigation {
  readonly navigation?: { readonly currentEntry: { readonly index: number } | null };
}

/** Where the page is, and which entry of the browser's history that is, if the browser says so. */
const read = () => ({
  path: location.pathname,
  entry: (globalThis as WithNavigation).navigation?.currentEntry?.index,
});
let here = read();
/** The expert has refused to leave. Until the browser has returned, the page stays as it is. */
let isReturning = false;

const guardedNavigate: typeof navigate = (to, options) => {
  if (new URL(to, location.href).pathname !== here.path && !mayLeave()) return;
  navigate(to, options);
  here = read();
};

// The browser reports Back and Forward after them. This listener is the first one, so nothing has changed yet.
addEventListener('popstate', (event) => {
  if (isReturning) {
    event.stopImmediatePropagation();
    isReturning = false;
  } else if (location.pathname !== here.path && !mayLeave()) {
    event.stopImmediatePropagation();
    const { entry } = read();
    isReturning = entry !== undefined && here.entry !== undefined;
    if (isReturning) history.go(Number(here.entry) - Number(entry));
    else history.pushState(null, '', here.path);
    return;
  }
  here = read();
});

/** The location of the page. What a component guards is left only after a question. */
export const useGuardedLocation: BrowserLocationHook = (options) => {
  const [path] = useBrowserLocation(options);
  return [isReturning ? here.path : path, guardedNavigate];
};

/** Asks the question before a link, Back, Forward or a reload leaves the page, while the component is shown. */
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
