import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './local/home.ts';
import { buildAll } from './steps/build-all.ts';
import { generateAll } from './steps/generate-all.ts';
import { createTerminal } from './terminal/terminal.ts';

/** `npm run docs`: the pages that are made from the code. */
export async function docs(): Promise<void> {
  const terminal = createTerminal();
  await terminal.step('generate', generateAll);
  await terminal.step('build', buildAll);
  await terminal.step('docs', async (detail) => {
    const { renderConfiguration } = await import('./docs/configuration.ts');
    const { renderErrors } = await import('./docs/errors.ts');
    writeFileSync(join(root, 'docs/configuration.md'), renderConfiguration());
    writeFileSync(join(root, 'docs/errors.md'), renderErrors());
    detail('docs/configuration.md, docs/errors.md');
  });
}
