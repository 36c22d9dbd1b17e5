import { type ComponentType, lazy } from 'react';

const reloadedAt = 'expert-relay:reloaded-at';
const once = 30_000;

/**
 * A page whose code is loaded when it is opened. After an upgrade of the relay the old code is gone: after the second
 * failure the whole page is reloaded, with the new code. Drafts are kept.
 */
export const lazyPage = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => ({ default: await loadCode(load) }));

/** The same for code other than pages. */
export const loadCode = <T,>(load: () => Promise<T>): Promise<T> => load().catch(() => loadAgain(load));

async function loadAgain<T>(load: () => Promise<T>): Promise<T> {
  await new Promise((resolve) => setTimeout(resolve, 500));
  try {
    return await load();
  } catch (error) {
    // Once: a chunk that is missing for another reason must not reload the page in a loop.
    const last = Number(sessionStorage.getItem(reloadedAt) ?? 0);
    if (navigator.onLine === false || Date.now() - last < once) throw error;
    sessionStorage.setItem(reloadedAt, String(Date.now()));
    location.reload();
    return new Promise<T>(() => {});
  }
}
