import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import type { Outcome } from '../../exit-codes.ts';
import { Failure } from '../../failure.ts';
import type { WebhookCalls, WebhookDelivery } from '../../relay/webhooks.ts';
import { describeDelivery } from './show-webhooks.ts';

const pollMs = 500;
/** An attempt takes up to ten seconds, and may have to wait for others. */
const timeoutMs = 40_000;

/** Waits for the result of a delivery that was just made due, and shows it. Its failure is a failure of the command. */
export async function sendAndWait(
  { out, signal, now }: Context,
  calls: Pick<WebhookCalls, 'deliveries'>,
  { id, sent, json }: { id: string; sent: WebhookDelivery; json: boolean },
): Promise<Outcome> {
  const until = now() + timeoutMs;
  let delivery = sent;
  while (!hasResult(delivery) && now() < until) {
    await pause(pollMs, undefined, { signal });
    delivery = (await calls.deliveries(id)).find((each) => each.id === sent.id) ?? delivery;
  }
  const { state, reason } = delivery;
  const isDelivered = state === 'delivered';
  if (!isDelivered) {
    const text = hasResult(delivery) ? describeDelivery(out, delivery) : `${state}: there is no result yet`;
    throw new Failure('failed', `${delivery.id} ${text}.`, {
      code: reason ?? state,
      hint: 'What the reasons mean is in docs/notifications.md. Later results: relay webhooks deliveries ID',
      details: { delivery },
    });
  }
  out.line(
    json
      ? JSON.stringify({ outcome: 'done', exit: 0, delivery })
      : `${delivery.id} ${describeDelivery(out, delivery)}`,
  );
  return 'done';
}

/** Whether it was attempted since it was made due. */
const hasResult = ({ state, attempts }: WebhookDelivery): boolean =>
  state !== 'sending' && (state !== 'waiting' || attempts > 0);
