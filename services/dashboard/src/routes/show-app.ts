import type { RequestHandler } from 'express';

/** Sends the page that starts the web app. The app shows what belongs to the path. */
export function showApp({ page, hubUrl }: { page: Buffer; hubUrl: string }): RequestHandler {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // `blob:` for pictures in encrypted messages.
    "img-src 'self' blob:",
    "font-src 'self'",
    `connect-src 'self' ${new URL(hubUrl).origin}`,
    "manifest-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    // No code makes HTML of text. The app's own policy allows the address of the service worker.
    "require-trusted-types-for 'script'",
    'trusted-types expert-relay',
  ].join('; ');

  return (_request, response) => {
    response.set({ 'content-security-policy': policy, 'cache-control': 'no-store' }).type('html').send(page);
  };
}
