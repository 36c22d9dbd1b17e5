import { randomBytes } from 'node:crypto';

/** As the requests service makes them. */
export const makeRequestId = (): string => randomBytes(16).toString('base64url');

export const pathOf = (requestId: string): string => `/?topic=/svc/requests/${requestId}`;
