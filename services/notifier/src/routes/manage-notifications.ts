import type { Api } from '@expert-relay/contracts';
import { defineRoute, parseBody } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';
import { changeSettings, readSettings, settingsSchema } from '../endpoints/settings.ts';

const path = '/internal/notifications';

async function readAll(
  { query, channels, pushKey, canMail }: Context,
  userId: string,
): Promise<Api.Notifications> {
  const settings = await readSettings(query, userId);
  return { pushKey, canMail, ...settings, channels: await channels.list(userId) };
}

/** What the relay offers, when the user is not notified, and the user's channels. */
export const listNotifications = (context: Context) =>
  defineRoute({
    method: 'get',
    path,
    allow: ['session'],
    handle: async ({ principal: { userId } }) => ({ status: 200, body: await readAll(context, userId) }),
  });

/** Sets when the user is not notified. */
export const changeNotifications = (context: Context) =>
  defineRoute({
    method: 'put',
    path,
    allow: ['session'],
    takesBody: true,
    async handle({ principal: { userId }, body }) {
      await changeSettings(context.query, userId, parseBody(settingsSchema(context.clock.now()), body));
      context.wakeDeliverer();
      return { status: 200, body: await readAll(context, userId) };
    },
  });
