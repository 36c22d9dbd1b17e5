import type { Route } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';
import { changeWebhook } from './change-webhook.ts';
import { createWebhook } from './create-webhook.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { listDeliveries } from './list-deliveries.ts';
import { listWebhooks } from './list-webhooks.ts';
import { channelRoutes } from './manage-channels.ts';
import { changeNotifications, listNotifications } from './manage-notifications.ts';
import { resendDelivery } from './resend-delivery.ts';
import { rotateWebhook } from './rotate-webhook.ts';
import { testWebhook } from './test-webhook.ts';

export const routes = (context: Context): readonly Route[] => [
  createWebhook(context),
  listWebhooks(context),
  changeWebhook(context),
  deleteWebhook(context),
  rotateWebhook(context),
  testWebhook(context),
  listDeliveries(context),
  resendDelivery(context),
  listNotifications(context),
  changeNotifications(context),
  ...channelRoutes(context),
];
