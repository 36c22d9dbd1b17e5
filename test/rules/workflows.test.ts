import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { compileWithGo } from '../../scripts/chart/testing/go-tool.ts';
import { whyMissing } from '../../scripts/servers/find-tool.ts';
import { testUnless } from '../../scripts/testing/test-unless.ts';
import { root } from './tree.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

const folder = join(root, '.github/workflows');
const workflows = readdirSync(folder).map(
  (file) => [file, readFileSync(join(folder, file), 'utf8')] as const,
);

const stepsOf = (text: string): Step[] => {
  const { jobs } = parse(text) as { jobs: Record<string, { steps: Step[] }> };
  return Object.values(jobs).flatMap(({ steps }) => steps);
};

test('there are workflows for changes and for releases', () => {
  expect(workflows.map(([file]) => file)).toEqual(['ci.yml', 'release.yml']);
});

test.each(workflows)('%s names actions by commit, and the version beside it', (_file, text) => {
  const uses = text.match(/uses: .*/g) ?? [];
  expect(uses.length).toBeGreaterThan(1);
  expect(uses.filter((line) => !/^uses: [\w.-]+\/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual(
    [],
  );
});

test.each(workflows)('%s runs only scripts of this project', (_file, text) => {
  const runs = stepsOf(text).flatMap(({ run }) => run ?? []);
  expect(
    runs.filter((run) => !/^(bash \.ci\/run|npm run release -- (images|make|publish))$/.test(run)),
  ).toEqual([]);
});

const actionlint = await compileWithGo('actionlint-1.7.12', () => [
  'install',
  'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12',
]);

testUnless(whyMissing(actionlint))('actionlint finds nothing', async () => {
  if ('missing' in actionlint) throw new Error(actionlint.missing);
  const paths = workflows.map(([file]) => join(folder, file));
  await promisify(execFile)(actionlint.path, ['-shellcheck=', '-pyflakes=', '-no-color', ...paths]);
});
