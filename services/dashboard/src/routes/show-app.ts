import type { RequestHandler } from 'express';
import type { ReturnTo } from '../cookies/return-to.ts';

/** Answers with the page that starts the web app, which shows what belongs to the path. */
export function showApp({ page, hubUrl }: { page: Buffer; hubUrl: string }): RequestHandler {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    `connect-src 'self' ${new URL(hubUrl).origin}`,
    "manifest-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    // Text becomes HTML through DOMPurify only, and the address of the service worker through a policy of the app.
    "require-trusted-types-for 'script'",
    'trusted-types dompurify expert-relay',
  ].join('; ');

  return (_request, response) => {
    response.set({ 'content-security-policy': policy, 'cache-control': 'no-store' }).type('html').send(page);
  };
}

/** Pages of the dashboard are for users who are signed in. */
export const requireSession =
  (returnTo: ReturnTo): RequestHandler =>
  (request, response, next) => {
    if (request.user) {
      next();
      return;
    }
    returnTo.remember(request, response);
    response.redirect('/auth/login');
  };

/** Signed-in users have no use for the sign-in pages. */
export const leaveSignIn: RequestHandler = (request, response, next) => {
  if (request.user) response.redirect('/dashboard');
  else next();
};
