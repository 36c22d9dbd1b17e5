import { loadLater } from '../load-later.ts';

/** What conversations use of forms. Most of them have none. */
export const loadForms = loadLater(() => import('./forms-chunk.ts'));

export type Forms = typeof import('./forms-chunk.ts');
