/** For every call: no redirect takes a key elsewhere, no cookie is sent unless asked for, no cache answers for the relay. */
export const fetchSettings = { redirect: 'error', credentials: 'omit', cache: 'no-store' } as const;
