/** For every call: no redirect takes a key elsewhere, no cookie comes along, no cache answers for the relay. */
export const fetchSettings = { redirect: 'error', credentials: 'omit', cache: 'no-store' } as const;
