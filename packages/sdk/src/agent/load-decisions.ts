import { loadLater } from '../load-later.ts';

/** What an agent does with forms. */
export const loadDecisions = loadLater(() => import('./decisions-chunk.ts'));
