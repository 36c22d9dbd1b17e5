import { buildAll } from './steps/build-all.ts';
import { generateAll } from './steps/generate-all.ts';
import { createTerminal } from './terminal/terminal.ts';

/** `npm run build`: everything that is generated and compiled. */
export async function build(): Promise<void> {
  const terminal = createTerminal();
  await terminal.step('generate', generateAll);
  await terminal.step('build', buildAll);
}
