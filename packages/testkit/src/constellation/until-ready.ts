import type { Service } from '@expert-relay/kit/lifecycle';
import { eventually } from '../eventually.ts';

/** Waits until a service says that it is ready; fails with what it lacks. */
export async function untilReady(service: Service): Promise<void> {
  let answer = 'nothing';
  const isReady = async () => {
    const response = await fetch(`${service.opsUrl}/readyz`);
    answer = (await response.text()).trim();
    return response.ok;
  };
  await eventually(`${service.name} ready`, isReady).catch((error: Error) => {
    throw new Error(`${error.message} It says: ${answer}`);
  });
}
