import { call } from './call.ts';

/** Who is signed in, and where events come from. */
export interface Me {
  readonly userId: string;
  readonly name: string;
  readonly email: string | null;
  readonly hubUrl: string;
}

export const readMe = async (): Promise<Me> => (await call<Me>('/api/me')).body;

/** Leads to the sign-in page, and back to this page afterwards. */
export function signInAgain(): void {
  // The page itself needs a session, remembers where it was opened, and sends to the sign-in page.
  location.reload();
}
