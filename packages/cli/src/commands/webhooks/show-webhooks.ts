import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { shortTime } from '../../messages/conversation-view.ts';
import type { Webhook, WebhookDelivery, WebhookWithSecret } from '../../relay/webhooks.ts';

type Shown = Pick<Context, 'out' | 'err'>;
type Format = { readonly json: boolean };

/** One line each. */
export function showWebhooks({ out, err }: Shown, webhooks: readonly Webhook[], { json }: Format): void {
  if (json) out.line(JSON.stringify({ webhooks }));
  else if (webhooks.length === 0)
    err.paragraph('There are no webhooks. Add one: relay webhooks add https://...');
  if (json) return;
  for (const webhook of webhooks) {
    const { id, keyId, url } = webhook;
    const of = keyId === undefined ? 'expert' : 'agent ';
    out.line(`${id}  ${of}  ${describeState(webhook)}  ${url === undefined ? '-' : out.shown(url)}`);
  }
}

const describeState = ({ enabled, offReason, failingSince }: Webhook): string => {
  if (!enabled) return offReason === undefined || offReason === 'owner' ? 'off' : `off (${offReason})`;
  return failingSince === undefined ? 'on' : `failing since ${shortTime(failingSince)}`;
};

export async function showSecret(
  { out, err }: Shown,
  webhook: WebhookWithSecret,
  { json }: Format,
): Promise<void> {
  const { id, url, events, secret } = webhook;
  if (json) out.line(JSON.stringify(webhook));
  else {
    out.line(`Webhook  ${id}`);
    out.line(`Address  ${out.shown(url)}`);
    out.line(`Events   ${events.join(', ')}`);
    out.line(`Secret   ${secret}`);
  }
  if (!(await out.written()))
    throw new Failure(
      'failed',
      `The secret of this webhook could not be written, and is shown only once. Make another one: relay webhooks rotate ${id} --now`,
    );
  if (!json) err.paragraph('The secret is shown this once. Try the address: relay webhooks test ID');
}

export function showState(
  { out }: Shown,
  webhook: Pick<Webhook, 'id'>,
  state: 'on' | 'off' | 'removed',
  { json }: Format,
): void {
  if (json) out.line(JSON.stringify({ outcome: 'done', exit: 0, ...webhook, state }));
  else out.line(`The webhook ${webhook.id} is ${state}.`);
}

/** One line each, the newest first. */
export function showDeliveries(
  { out, err }: Shown,
  deliveries: readonly WebhookDelivery[],
  { json }: Format,
): void {
  if (json) out.line(JSON.stringify({ deliveries }));
  else if (deliveries.length === 0) err.paragraph('Nothing was delivered in the last seven days.');
  if (json) return;
  for (const delivery of deliveries) {
    const { id, type, refCode = '-', createdAt } = delivery;
    const about = `${shortTime(createdAt)}  ${type.padEnd(15)}  ${refCode.padEnd(11)}`;
    out.line(`${id}  ${about}  ${describeDelivery(out, delivery)}`);
  }
}

/** Its state, and how the last attempt ended. */
export function describeDelivery(
  { shown }: Pick<Context['out'], 'shown'>,
  { state, attempts, reason, statusCode, durationMs, nextAttemptAt, response = '' }: WebhookDelivery,
): string {
  const last = [reason, statusCode, durationMs === undefined ? undefined : `${durationMs} ms`].filter(
    (each) => each !== undefined,
  );
  const again =
    state === 'waiting' && attempts > 0 && nextAttemptAt ? `, again ${shortTime(nextAttemptAt)}` : '';
  const count = attempts > 1 ? ` after ${attempts} attempts` : '';
  const said = reason !== undefined && response !== '' ? `: ${shown(response)}` : '';
  return `${state}${count}${last.length > 0 ? ` (${last.join(', ')})` : ''}${again}${said}`;
}
