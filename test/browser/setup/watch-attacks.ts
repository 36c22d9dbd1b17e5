import type { BrowserContext } from 'playwright-core';

/** Collects what hostile texts have caused: scripts, dialogs, calls to other origins, violations of the policy. */
export async function watchAttacks(
  context: BrowserContext,
  own: readonly string[],
): Promise<readonly string[]> {
  const attacks: string[] = [];
  const origins = new Set(own.map((url) => new URL(url).origin));
  await context.exposeFunction('hostile', () => void attacks.push('a script ran'));
  await context.exposeFunction('reportViolation', (text: string) => void attacks.push(`policy: ${text}`));
  await context.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    reportViolation([event.violatedDirective, event.blockedURI, event.sample].join(' ')))`);
  context.on('page', (page) => {
    page.on('dialog', (dialog) => {
      attacks.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  });
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (/^https?:$/.test(protocol) && !origins.has(origin)) attacks.push(`call: ${request.url()}`);
  });
  return attacks;
}
