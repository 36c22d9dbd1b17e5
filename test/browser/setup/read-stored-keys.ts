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

/** Stores a value as the web app would. Another one of the same name must be there: it shows whose it is. */
export const storeValue = (page: Page, name: string, value: unknown): Promise<void> =>
  page.evaluate<void>(`new Promise((resolve, reject) => {
    const opening = indexedDB.open('expert-relay');
    opening.onerror = reject;
    opening.onsuccess = () => {
      const database = opening.result;
      const reading = database.transaction(['keys', 'values']);
      const paths = reading.objectStore('values').getAllKeys();
      const owners = reading.objectStore('keys').getAllKeys();
      const keys = reading.objectStore('keys').getAll();
      reading.oncomplete = async () => {
        const path = paths.result.find((path) => path.endsWith(${JSON.stringify(`/${name}`)}));
        const key = keys.result[owners.result.findIndex((owner) => path.startsWith(owner + '/'))];
        const iv = crypto.getRandomValues(new Uint8Array(12));
        const text = new TextEncoder().encode(${JSON.stringify(JSON.stringify(value))});
        const data = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, text);
        const writing = database.transaction('values', 'readwrite');
        writing.objectStore('values').put({ iv, data }, path);
        writing.oncomplete = () => { database.close(); resolve(); };
      };
    };
  })`);
