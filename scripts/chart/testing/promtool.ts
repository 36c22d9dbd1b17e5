import { promtool } from '../../../test/tools.ts';
import { findTool, requireTool, whyMissing } from '../../servers/find-tool.ts';
import { testUnless } from '../../testing/test-unless.ts';
import { run } from './go-tool.ts';

const tool = await findTool(promtool);

/** For tests that need promtool. Without it they are skipped. */
export const withPromtool = testUnless(whyMissing(tool));

/** Runs `promtool test rules` with a file of a folder. Returns all that it printed, also when rules fail. */
export async function testRules(folder: string, file: string): Promise<string> {
  const { path, env } = requireTool(tool);
  const options = { cwd: folder, env: { ...process.env, ...env }, maxBuffer: 2 ** 26 };
  const { stdout, stderr } = await run(path, ['test', 'rules', file], options).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  return `${stdout}${stderr}`;
}
