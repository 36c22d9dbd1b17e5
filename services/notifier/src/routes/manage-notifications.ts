import type { Api } from '@expert-relay/contracts';
import { defineRoute, parseBody } from '@expert-relay/kit/http';
import type { SessionPrincipal } from '@expert-relay/kit/principal';
import type { Context } from '../context.ts';
import { changeSettings, readSettings, settingsSchema } from '../endpoints/settings.ts';

const path = '/internal/notifications';

async function readAll(
  { query, channels, pushKey, canEmail }: Context,
  principal: SessionPrincipal,
): Promise<Api.Notifications> {
  const settings = await readSettings(query, principal.userId);
  return { pushKey, canEmail, ...settings, channels: await channels.list(principal) };
}

/** What the relay offers, when the user is not notified, and the user's channels. */
export const listNotifications = (context: Context) =>
  defineRoute({
    method: 'get',
    path,
    allow: ['session'],
    handle: async ({ principal }) => ({ status: 200, body: await readAll(context, principal) }),
  });

/** Sets when the user is not notified. */
export const changeNotifications = (context: Context) =>
  defineRoute({
    method: 'put',
    path,
    allow: ['session'],
    takesBody: true,
    async handle({ principal, body }) {
      await changeSettings(
        context.query,
        principal.userId,
        parseBody(settingsSchema(context.clock.now()), body),
      );
      context.wakeDeliverer();
      return { status: 200, body: await readAll(context, principal) };
    },
  });
