import type { Services } from './services.tsx';

/** Ends the session and wipes what this browser kept for the user: expert key, drafts, caches. */
export async function signOut({ storage, live }: Pick<Services, 'storage' | 'live'>): Promise<void> {
  await storage.clear();
  live.tabs.send({ type: 'signed-out' });
  // As a form, so that the browser follows to the sign-in page and drops every page of this app.
  const form = document.createElement('form');
  form.method = 'post';
  form.action = '/logout';
  document.body.append(form);
  form.submit();
}
