import { defineRoute, parseBody } from '@expert-relay/kit/http';
import * as z from 'zod';
import type { Context } from '../context.ts';
import { sealedSchema, writeSealed } from '../sealed/sealed-value.ts';

const schema = z.object({ vault: sealedSchema(8 * 1_024) });

export const putVault = (context: Context) =>
  defineRoute({
    method: 'put',
    path: '/api/v1/vault',
    allow: ['provider', 'session'],
    takesBody: true,
    handle: ({ principal: { userId }, headers, body }) =>
      writeSealed(context, {
        userId,
        name: 'vault',
        text: parseBody(schema, body).vault,
        ifMatch: headers['if-match'] as string | undefined,
      }),
  });
