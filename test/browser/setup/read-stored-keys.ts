import type { Page } from 'playwright-core';

/** The keys of all values that the web app has stored in IndexedDB. */
export const readStoredKeys = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`new Promise((resolve, reject) => {
    const opening = indexedDB.open('expert-relay');
    opening.onerror = reject;
    opening.onsuccess = () => {
      const reading = opening.result.transaction('values').objectStore('values').getAllKeys();
      reading.onsuccess = () => { opening.result.close(); resolve(reading.result); };
    };
  })`);
