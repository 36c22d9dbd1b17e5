import { call } from './call.ts';

/** The signed-in user and the hub's address. */
export interface Me {
  readonly userId: string;
  readonly name: string;
  readonly email: string | null;
  readonly hubUrl: string;
}

export const readMe = async (): Promise<Me> => (await call<Me>('/api/me')).body;

/** Redirects to the sign-in page and afterwards back to this page. */
export function signInAgain(): void {
  // The page itself needs a session, remembers where it was opened, and sends to the sign-in page.
  location.reload();
}
