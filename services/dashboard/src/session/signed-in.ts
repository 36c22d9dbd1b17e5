import type { Identity } from '../sign-in/identity.ts';

/** Who is signed in, as the session keeps it. */
export interface SignedIn {
  readonly userId: string;
  /** Names the session to other services; the cookie's own id stays between the browser and Redis. */
  readonly sessionId: string;
  /** By which the user signed in. Whether it is still allowed is asked at each call. */
  readonly identity: Identity;
  /** Such as `Firefox on Linux`. */
  readonly device: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

declare global {
  namespace Express {
    interface User extends SignedIn {}
  }
}

declare module 'express-session' {
  interface SessionData {
    /** Written by passport. */
    passport?: { user?: SignedIn };
  }
}
