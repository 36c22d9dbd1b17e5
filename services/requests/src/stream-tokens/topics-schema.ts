import { z } from 'zod';

const expected = 'Expected a list of 1 to 100 topics such as /svc/requests/{requestId}.';

export const topicsSchema = z
  .array(z.string({ error: 'Expected a topic as text.' }), { error: expected })
  .min(1, expected)
  .max(100, expected);
