import { z } from 'zod';

const expected = 'Expected 1 to 100 characters.';

export const keyName = z.string({ error: 'Expected a text.' }).trim().min(1, expected).max(100, expected);
