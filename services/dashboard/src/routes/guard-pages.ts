import type { RequestHandler } from 'express';
import type { ReturnTo } from '../cookies/return-to.ts';

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
