import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../local/home.ts';

/** TypeScript's compiler itself: its wrapper in JavaScript costs time, and leaves it behind when stopped. */
export async function findCompiler(): Promise<string> {
  const resolver = join(root, 'node_modules/typescript/lib/getExePath.js');
  const { default: getExePath } = (await import(pathToFileURL(resolver).href)) as { default: () => string };
  return getExePath();
}
