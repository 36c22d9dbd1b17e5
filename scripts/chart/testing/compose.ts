import { join } from 'node:path';
import { root } from '../../local/home.ts';
import { whyMissing } from '../../servers/find-tool.ts';
import { testUnless } from '../../testing/test-unless.ts';
import { compileWithGo, run } from './go-tool.ts';

/* The version in the name is the one of compose-go in load-compose/go.mod. */
const source = join(root, 'scripts/chart/testing/load-compose');
const program = await compileWithGo('load-compose-2.16.2', (target) => ['build', '-o', target, '.'], source);

/** For tests that need compose-go, the library of Docker Compose. Without Go they are skipped. */
export const withCompose = testUnless(whyMissing(program));

/** What Docker Compose says about a file, given these variables; nothing when it takes it. */
export async function loadCompose(file: string, variables: Record<string, string>): Promise<string> {
  const env = { PATH: process.env.PATH, ...variables };
  const path = 'path' in program ? program.path : '';
  return await run(path, [file], { env }).then(
    ({ stderr }) => stderr,
    ({ stderr }: { stderr: string }) => stderr,
  );
}
