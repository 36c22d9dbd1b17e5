import { z } from 'zod';

export const reference = z
  .string()
  .trim()
  .min(8)
  .max(40)
  .describe('The reference that ask_expert gave, such as HS-7KQ2M9XD.');

export const status = z
  .enum(['pending', 'responded', 'closed', 'expired'])
  .describe('pending: no answer yet. responded: answered, and open. closed, expired: it has ended.');

export const seenYourLast = z
  .boolean()
  .optional()
  .describe('False: written before your last message was read. Absent when that is unknown.');

/** As it is given back. */
export const knownReference = z.string();

export const unsent = z.number().describe("Texts that wait here for the expert's keys: not sent yet.");

export const nextStep = z.string().describe('What to do next.');
