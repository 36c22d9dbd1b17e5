import { credentialRevokedPayload } from '@expert-relay/contracts';
import { insertEvent, sql } from '@expert-relay/db';
import { defineRoute } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';

/** Reports that a session has ended, so that its streams end within seconds. */
export const endSession = (context: Context) =>
  defineRoute({
    method: 'post',
    path: '/internal/sessions/end',
    allow: ['session'],
    async handle({ principal }) {
      await context.prisma.$executeRaw`${insertEvent({
        type: 'credential_revoked',
        payload: credentialRevokedPayload({ sessionId: principal.sessionId }),
        from: sql`
          SELECT ${principal.userId}::uuid AS user_id, NULL::text AS request_id, NULL::text AS ref_code, 0 AS seq`,
      })}`;
      context.wakeOutbox();
      return { status: 204 };
    },
  });
