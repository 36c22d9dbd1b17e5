import type { Request } from 'express';
import { newSessionId } from './create-session.ts';

/** Puts a user into a fresh session: one that existed before the sign-in is never taken over. */
export function signIn(request: Request, userId: string): Promise<void> {
  return new Promise((resolve, reject) => {
    request.login({ userId, sessionId: newSessionId() }, (error) => (error ? reject(error) : resolve()));
  });
}
