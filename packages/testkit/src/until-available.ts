import { setTimeout as pause } from 'node:timers/promises';

const maxAttempts = 20;
const pauseMs = 250;

/**
 * Repeats a call that gets 503, as clients do: when a machine is so busy that a server answers late, the relay
 * is not available for some seconds. Returns the last response after 20 attempts, so a test may also expect a 503.
 */
export async function untilAvailable<A extends { readonly status: number }>(
  call: () => Promise<A>,
): Promise<A> {
  for (let attempt = 1; ; attempt++) {
    const response = await call();
    if (response.status !== 503 || attempt === maxAttempts) return response;
    if (response instanceof Response) await response.body?.cancel();
    await pause(pauseMs);
  }
}
