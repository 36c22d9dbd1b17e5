// The workflows of temporal.mjs. They run in Temporal's sandbox, so they are in a file of their own.
import { condition, defineSignal, executeChild, proxyActivities, setHandler } from '@temporalio/workflow';

const { ask, read } = /** @type {import('../temporal.mjs').Activities} */ (
  proxyActivities({ startToCloseTimeout: '1 minute' })
);

/** The relay's webhook says that the expert has written. */
export const answered = defineSignal('answered');

export async function deploy(/** @type {string} */ version) {
  const [once, question] = [`deploy ${version}`, `Deploy ${version}?`];
  const requestId = await ask(once, question);
  // The webhook knows the id of the request, so that is the id of the workflow that sleeps for it.
  const decision = await executeChild(decide, { workflowId: requestId, args: [once, question] });
  return decision.approved ? `Deployed ${version}.` : `Declined: ${decision.comment}`;
}

export async function decide(/** @type {string} */ once, /** @type {string} */ question) {
  let isAnswered = false;
  setHandler(answered, () => {
    isAnswered = true;
  });
  for (;;) {
    isAnswered = false;
    // It reads before it sleeps, so that an answer from before it was started needs no signal.
    const decision = await read(once, question);
    if (decision) return decision;
    // Of a request that has expired, the hourly read tells.
    await condition(() => isAnswered, '1 hour');
  }
}
