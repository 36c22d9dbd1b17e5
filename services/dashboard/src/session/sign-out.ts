import type { Request } from 'express';

/** Ends the session for this browser: its record is gone, whoever kept the cookie. */
export function signOut(request: Request): Promise<void> {
  return new Promise((resolve, reject) => {
    request.session.destroy((error) => (error ? reject(error) : resolve()));
  });
}
