import { listOf } from '@expert-relay/kit/http';
import { z } from 'zod';

export const topicsSchema = listOf(z.string({ error: 'Expected a topic as text.' }), {
  least: 1,
  most: 100,
  error: 'Expected a list of 1 to 100 topics such as /svc/requests/{requestId}.',
});
