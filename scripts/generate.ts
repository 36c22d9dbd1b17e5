import { generateAll } from './steps/build.ts';
import { createTerminal } from './terminal/terminal.ts';

/** `npm run generate`: the code that is made from proto/ and the database schema. */
export async function generate(): Promise<void> {
  await createTerminal().step('generate', generateAll);
}
