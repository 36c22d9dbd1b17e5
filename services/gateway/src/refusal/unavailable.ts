import { Problem } from '@expert-relay/kit/problem';

/** What the call needs is not there now, and nothing of it took effect. */
export const unavailable = (detail: string): Problem =>
  new Problem('unavailable', { detail: `${detail} Try again shortly.`, headers: { 'retry-after': '2' } });
