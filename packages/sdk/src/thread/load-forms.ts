import { RelayError } from '../relay-error.ts';

/** What conversations use of forms. */
export type Forms = typeof import('./forms-chunk.ts');

/** A chunk of its own: most conversations have no forms. */
export async function loadForms(): Promise<Forms> {
  return await import('./forms-chunk.ts').catch(notLoaded);
}

function notLoaded(cause: unknown): never {
  throw new RelayError('unreachable', 'The code for forms could not be loaded: start again.', { cause });
}
