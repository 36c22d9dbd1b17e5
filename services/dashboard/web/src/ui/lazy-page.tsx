import { type ComponentType, lazy } from 'react';

const reloadedAt = 'expert-relay:reloaded-at';
const reloadIntervalMs = 30_000;

/**
 * A page whose code is loaded when it is opened. After an upgrade of the relay the old files are gone: when loading fails
 * twice, the whole page is reloaded to get the new files. Drafts are kept.
 */
export const lazyPage = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => ({ default: await loadCode(load) }));

/** The same for code that is not a page, or for a call that loads code first: then only some errors are about loading. */
export const loadCode = <T,>(
  load: () => Promise<T>,
  isLoadFailure: (error: unknown) => boolean = () => true,
): Promise<T> =>
  load().catch((error) => {
    if (!isLoadFailure(error)) throw error;
    return loadAgain(load);
  });

async function loadAgain<T>(load: () => Promise<T>): Promise<T> {
  await new Promise((resolve) => setTimeout(resolve, 500));
  try {
    return await load();
  } catch (error) {
    // A file that is missing for another reason must not reload the page in a loop.
    const last = Number(sessionStorage.getItem(reloadedAt) ?? 0);
    if (navigator.onLine === false || Date.now() - last < reloadIntervalMs) throw error;
    sessionStorage.setItem(reloadedAt, String(Date.now()));
    location.reload();
    return new Promise<T>(() => {});
  }
}
