import { credentialRevokedEvent } from '@expert-relay/contracts';
import { insertEvent, sql } from '@expert-relay/db';
import { defineRoute, parseBody } from '@expert-relay/kit/http';
import * as z from 'zod';
import type { Context } from '../context.ts';

const schema = z.object({ signedOut: z.boolean() });

/** Reports that a session has ended, so that its streams end within seconds. */
export const endSession = (context: Context) =>
  defineRoute({
    method: 'post',
    path: '/internal/sessions/end',
    allow: ['session'],
    takesBody: true,
    async handle({ principal, body }) {
      const { signedOut } = parseBody(schema, body);
      await context.query`${insertEvent({
        ...credentialRevokedEvent({ sessionId: principal.sessionId, signedOut }),
        from: sql`
          SELECT ${principal.userId}::uuid AS user_id, NULL::text AS request_id, NULL::text AS ref_code, 0 AS seq`,
      })}`;
      context.wakeOutbox();
      return { status: 204 };
    },
  });
