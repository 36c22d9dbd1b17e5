import type { Route } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';
import { listMessages } from './list-messages.ts';
import { sendMessage } from './send-message.ts';

export const routes = (context: Context): readonly Route[] => [sendMessage(context), listMessages(context)];
