import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { openJsonFile } from './json-file.ts';

const schema = z.object({ version: z.literal(1), secret: z.base64().length(44) });

/** The secret of this machine's agents, from which the keys of questions with a name are derived. Made at its first use. */
export function openAgentSecret(folder: string): Uint8Array {
  const file = openJsonFile({
    path: join(folder, 'agent-secret.json'),
    schema,
    withoutIt: 'questions that were asked with --once are refused under the same name.',
  });
  const made = { version: 1 as const, secret: randomBytes(32).toString('base64') };
  const { secret } = file.read() ?? (file.create(made) ? made : (file.read() ?? made));
  return new Uint8Array(Buffer.from(secret, 'base64'));
}
