import type { RequestHandler } from 'express';

/** Pages of the dashboard are for those who are signed in. */
export const requireSession: RequestHandler = (request, response, next) => {
  if (request.user) next();
  else response.redirect('/auth/login');
};

/** Who is signed in has no business at the sign-in. */
export const leaveSignIn: RequestHandler = (request, response, next) => {
  if (request.user) response.redirect('/dashboard');
  else next();
};
