import type { Environment } from '../../environment/environment.ts';
import type { Latencies } from '../../programs/paced-load.ts';
import { submission } from '../../requests/samples.ts';

/** Returns a function that submits requests at a steady rate, for the given seconds. */
export async function startSubmits(
  environment: Environment,
  perSecond: number,
): Promise<(seconds: number) => Promise<Latencies>> {
  const { port } = await environment.service('gateway');
  const load = await environment.program('paced-load');
  const body = JSON.stringify({ apiKey: environment.user.consumerKey, ...submission });
  const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  const call = { method: 'POST', path: '/api/v1/help', headers, body };
  return (seconds) => load.call('run', { port, calls: [call], perSecond, seconds });
}
