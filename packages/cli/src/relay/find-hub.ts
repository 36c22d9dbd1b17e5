import * as z from 'zod';
import { probe } from './probe.ts';

const description = z.object({ hubUrl: z.url({ protocol: /^https?$/ }) });

/** The address of the hub, as the gateway names it. */
export async function findHub(url: string, signal: AbortSignal): Promise<string | undefined> {
  const seen = await probe(`${url}/.well-known/expert-relay`, { signal });
  return 'trouble' in seen ? undefined : description.safeParse(seen.body).data?.hubUrl;
}
