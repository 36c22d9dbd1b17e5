import * as z from 'zod';
import { Failure } from '../failure.ts';
import { callRelay, describeProblem, type RelayCall } from './call-relay.ts';
import type { Access } from './require-relay.ts';

// Both are shown inside our own sentences and are parts of paths, so they must contain nothing else.
const webhookId = z.string().regex(/^[0-9a-f-]{36}$/);
const word = z.string().regex(/^[\w.]{1,60}$/);

const webhook = z.object({
  id: webhookId,
  keyId: z.string().optional(),
  /** Absent if the relay cannot read it any more. */
  url: z.string().optional(),
  events: z.array(word),
  createdAt: z.iso.datetime(),
  enabled: z.boolean(),
  offReason: word.optional(),
  failingSince: z.iso.datetime().optional(),
});
const withSecret = webhook.extend({
  url: z.string(),
  secret: z.string().regex(/^whsec_[A-Za-z0-9+/=]{1,200}$/),
});
const delivery = z.object({
  id: z.string().regex(/^msg_[0-9a-f]{32}$/),
  state: z.enum(['waiting', 'sending', 'delivered', 'failed', 'cancelled']),
  attempts: z.number(),
  reason: word.optional(),
  statusCode: z.number().optional(),
  response: z.string().optional(),
  durationMs: z.number().optional(),
});

export type Webhook = z.infer<typeof webhook>;
type WebhookWithSecret = z.infer<typeof withSecret>;
export type WebhookDelivery = z.infer<typeof delivery>;

/** The calls about webhooks, as a consumer key or a provider key may make them. */
export interface WebhookCalls {
  list(): Promise<Webhook[]>;
  /** The one whose id begins with this text. */
  find(text: string): Promise<Webhook>;
  add(webhook: { url: string; events: readonly string[] | undefined }): Promise<WebhookWithSecret>;
  remove(id: string): Promise<void>;
  test(id: string): Promise<WebhookDelivery>;
  /** The newest deliveries. */
  deliveries(id: string): Promise<WebhookDelivery[]>;
}

const path = '/api/v1/webhooks';

export function callWebhooks(access: Access, signal: AbortSignal): WebhookCalls {
  async function call<T>(schema: z.ZodType<T>, request: Omit<RelayCall, 'signal'>): Promise<T> {
    const { status, body } = await callRelay(access, { ...request, signal });
    if (status === 404) throw unknown(request.path === path);
    if (status === 400) throw new Failure('usage', describeProblem(status, body));
    const { data, success } = schema.safeParse(body);
    if (status > 299 || !success) {
      const sentence = `${access.url} does not answer as a relay does (${status}). Is RELAY_URL right?`;
      throw new Failure('failed', describeProblem(status, body) || sentence);
    }
    return data;
  }
  const list = async () => (await call(z.object({ webhooks: z.array(webhook) }), { path })).webhooks;

  return {
    list,
    async find(text) {
      // An empty variable of a script must not mean the only webhook.
      if (!/^[0-9a-f-]{4,36}$/i.test(text))
        throw new Failure(
          'usage',
          `"${text}" is not the beginning of an id: at least four characters of it. See: relay webhooks`,
        );
      const [found, ...others] = (await list()).filter(({ id }) => id.startsWith(text.toLowerCase()));
      if (!found) throw unknown(false);
      if (others.length > 0)
        throw new Failure(
          'usage',
          `The ids of ${others.length + 1} webhooks begin with "${text}". Type more of it.`,
        );
      return found;
    },
    add: ({ url, events }) =>
      call(withSecret, { method: 'POST', path, body: { url, ...(events && { events }) } }),
    async remove(id) {
      await call(z.undefined(), { method: 'DELETE', path: `${path}/${id}` });
    },
    test: (id) => call(delivery, { method: 'POST', path: `${path}/${id}/test` }),
    deliveries: async (id) =>
      (await call(z.object({ deliveries: z.array(delivery) }), { path: `${path}/${id}/deliveries` }))
        .deliveries,
  };
}

const unknown = (isList: boolean): Failure =>
  isList
    ? new Failure('failed', 'This relay has no webhooks: its operator has not switched them on.')
    : new Failure('unknown', 'There is no such webhook, or it is not yours. Yours: relay webhooks');
