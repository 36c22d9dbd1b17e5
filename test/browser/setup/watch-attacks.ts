import type { BrowserContext } from 'playwright-core';

/** What hostile texts have achieved: scripts that ran, dialogs, calls to elsewhere, broken rules of the policy. */
export async function watchAttacks(
  context: BrowserContext,
  own: readonly string[],
): Promise<readonly string[]> {
  const seen: string[] = [];
  const origins = new Set(own.map((url) => new URL(url).origin));
  await context.exposeFunction('hostile', () => void seen.push('a script ran'));
  await context.exposeFunction('reportViolation', (text: string) => void seen.push(`policy: ${text}`));
  await context.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    reportViolation([event.violatedDirective, event.blockedURI, event.sample].join(' ')))`);
  context.on('page', (page) => {
    page.on('dialog', (dialog) => {
      seen.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  });
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (/^https?:$/.test(protocol) && !origins.has(origin)) seen.push(`call: ${request.url()}`);
  });
  return seen;
}
