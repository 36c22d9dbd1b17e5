import { buildProduct } from './steps/build.ts';
import { createTerminal } from './terminal/terminal.ts';

/** `npm run build`: everything that is generated and compiled. */
export async function build(): Promise<void> {
  await buildProduct(createTerminal());
}
