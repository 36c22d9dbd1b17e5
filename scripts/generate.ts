import { generateAll } from './steps/build.ts';
import { createTerminal } from './terminal/terminal.ts';

/** `npm run generate`: the code that is made from proto/, the database schema and docs/openapi.yaml. */
export async function generate(): Promise<void> {
  await createTerminal().step('generate', generateAll);
}
