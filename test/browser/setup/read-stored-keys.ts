import { eventually } from '@expert-relay/testkit';
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

/** Waits until a page has stored a value that contains this text, so that a reload does not lose it. */
export async function untilStored(page: Page, text: string): Promise<void> {
  const isStored = `new Promise((resolve, reject) => {
    const opening = indexedDB.open('expert-relay');
    opening.onerror = reject;
    opening.onsuccess = () => {
      const reading = opening.result.transaction(['keys', 'values']);
      const [keys, values] = ['keys', 'values'].map((name) => reading.objectStore(name).getAll());
      reading.oncomplete = async () => {
        opening.result.close();
        const texts = await Promise.all(values.result.flatMap(({ iv, data }) => keys.result.map((key) =>
          crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, data)
            .then((bytes) => new TextDecoder().decode(bytes), () => ''))));
        resolve(texts.some((stored) => stored.includes(${JSON.stringify(text)})));
      };
    };
  })`;
  await eventually(`"${text}" is stored`, () => page.evaluate<boolean>(isStored));
}
