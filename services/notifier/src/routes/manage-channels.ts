import { defineRoute, parseBody, parseQuery, type Route, uuidFrom } from '@expert-relay/kit/http';
import * as z from 'zod';
import type { Context } from '../context.ts';
import { deliveriesPage, deliveriesQuery } from '../deliveries/deliveries-page.ts';
import { sendTest } from '../deliveries/send-now.ts';
import { changedChannelSchema, confirmationSchema, parseNewChannel } from '../endpoints/channel-form.ts';
import { channelsOf } from '../endpoints/channels.ts';

const path = '/internal/notifications/channels';
const ofOne = { path: `${path}/:channelId`, allow: ['session'] } as const;

const create = ({ channels, rules, isPushHost, wakeDeliverer }: Context) =>
  defineRoute({
    method: 'post',
    path,
    allow: ['session'],
    takesBody: true,
    async handle({ principal, callId, body }) {
      const created = await channels.insert(principal, callId, parseNewChannel({ rules, isPushHost }, body));
      wakeDeliverer();
      return { status: 201, body: created };
    },
  });

/** Changes what the body names. A channel that is switched on gets what happens from then on. */
const change = ({ channels }: Context) =>
  defineRoute({
    ...ofOne,
    method: 'put',
    takesBody: true,
    async handle({ principal, params, body }) {
      const changed = parseBody(changedChannelSchema, body);
      const channel = await channels.change(principal, uuidFrom(params, 'channelId'), changed);
      return { status: 200, body: channel };
    },
  });

const remove = ({ channels }: Context) =>
  defineRoute({
    ...ofOne,
    method: 'delete',
    async handle({ principal, params }) {
      await channels.delete(principal.userId, uuidFrom(params, 'channelId'));
      return { status: 204 };
    },
  });

const test = ({ query, sealer, countTests, wakeDeliverer }: Context) =>
  defineRoute({
    ...ofOne,
    method: 'post',
    path: `${ofOne.path}/test`,
    async handle({ principal: { userId }, params, callId }) {
      const delivery = await sendTest(query, {
        endpointId: uuidFrom(params, 'channelId'),
        userId,
        isOwn: channelsOf(userId),
        off: 'channel_off',
        type: 'channel.test',
        callId,
        count: countTests,
        sealer,
      });
      wakeDeliverer();
      return { status: 201, body: delivery };
    },
  });

const listDeliveries = ({ query }: Context) =>
  defineRoute({
    ...ofOne,
    method: 'get',
    path: `${ofOne.path}/deliveries`,
    async handle({ principal: { userId }, params, query: parameters }) {
      const page = parseQuery(deliveriesQuery, parameters);
      const endpointId = uuidFrom(params, 'channelId');
      return { status: 200, body: await deliveriesPage(query, channelsOf(userId), { endpointId, ...page }) };
    },
  });

const sendConfirmation = ({ channels, wakeDeliverer }: Context) =>
  defineRoute({
    ...ofOne,
    method: 'post',
    path: `${ofOne.path}/send-confirmation`,
    async handle({ principal, params, callId }) {
      await channels.sendConfirmation(principal.userId, uuidFrom(params, 'channelId'), callId);
      wakeDeliverer();
      return { status: 202, body: {} };
    },
  });

const confirm = ({ channels }: Context) =>
  defineRoute({
    ...ofOne,
    method: 'post',
    path: `${ofOne.path}/confirm`,
    takesBody: true,
    async handle({ principal, params, body }) {
      const { token } = parseBody(confirmationSchema, body);
      const channel = await channels.confirm(principal, uuidFrom(params, 'channelId'), token);
      return { status: 200, body: channel };
    },
  });

const unsubscribeSchema = z.object({ channel: z.string(), token: z.string().max(200) });

/** Ends the emails to an address, for a person who may not have a session. */
const unsubscribe = ({ channels }: Context) =>
  defineRoute({
    method: 'post',
    path: '/internal/unsubscribe',
    allow: ['nobody'],
    takesBody: true,
    async handle({ body }) {
      const { channel, token } = parseBody(unsubscribeSchema, body);
      await channels.unsubscribe(uuidFrom({ channel }, 'channel'), token);
      return { status: 204 };
    },
  });

export const channelRoutes = (context: Context): readonly Route[] =>
  [create, change, remove, test, listDeliveries, sendConfirmation, confirm, unsubscribe].map((route) =>
    route(context),
  );
