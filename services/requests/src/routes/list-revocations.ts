import { readRevocationEvents } from '@expert-relay/db';
import { defineRoute } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';

/** The newest revocations, encoded as for NATS: hubs also learn of them while it is away. */
export const listRevocations = (context: Context) =>
  defineRoute({
    method: 'get',
    path: '/internal/revocations',
    allow: ['hub'],
    isQuiet: true,
    async handle() {
      const events = await readRevocationEvents(context.query);
      return {
        status: 200,
        body: { events: events.map((bytes) => Buffer.from(bytes).toString('base64')) },
      };
    },
  });
