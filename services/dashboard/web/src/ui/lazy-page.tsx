import { type ComponentType, lazy } from 'react';

const reloadedAt = 'expert-relay:reloaded-at';
const reloadIntervalMs = 30_000;
const longestWaitMs = 32_000;

/**
 * A page whose code is loaded when it is opened. After an upgrade of the relay the old files are gone: when loading fails
 * although the relay answers, the whole page is reloaded to get the new files. Drafts are kept.
 */
export const lazyPage = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => ({ default: await loadCode(load) }));

/** The same for code that is not a page. */
export const loadCode = <T,>(load: () => Promise<T>): Promise<T> => load().catch(() => loadAgain(load));

async function loadAgain<T>(load: () => Promise<T>): Promise<T> {
  const isAnswering = await relayAnswers();
  await loadStylesAgain();
  try {
    return await load();
  } catch (error) {
    // A file that is missing for another reason must not reload the page in a loop.
    const last = Number(sessionStorage.getItem(reloadedAt) ?? 0);
    if (!isAnswering || Date.now() - last < reloadIntervalMs) throw error;
    sessionStorage.setItem(reloadedAt, String(Date.now()));
    location.reload();
    return new Promise<T>(() => {});
  }
}

/** Vite loads the styles of code once: after a failure, the code would come without them. */
async function loadStylesAgain(): Promise<void> {
  const links = document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]');
  const failed = [...links].filter((link) => !hasRules(link));
  await Promise.all(
    failed.map(
      (link) =>
        new Promise((resolve) => {
          const again = link.cloneNode() as HTMLLinkElement;
          again.onload = again.onerror = resolve;
          link.replaceWith(again);
        }),
    ),
  );
}

function hasRules({ sheet }: HTMLLinkElement): boolean {
  try {
    return sheet !== null && sheet.cssRules.length > 0;
  } catch {
    // Chromium takes a style sheet that failed for one of another origin.
    return false;
  }
}

/**
 * Waits until the relay answers, for about a minute. During an outage no file can be loaded, and a reload would replace the page
 * by an error of the browser.
 */
async function relayAnswers(): Promise<boolean> {
  for (let waitMs = 500; waitMs <= longestWaitMs; waitMs *= 2) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    const signal = AbortSignal.timeout(longestWaitMs);
    const page = await fetch(location.href, { method: 'HEAD', cache: 'no-store', signal }).catch(
      () => undefined,
    );
    if (page?.ok) return true;
  }
  return false;
}
