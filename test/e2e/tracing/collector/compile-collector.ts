import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileWithGo, type GoTool } from '../../../../scripts/chart/testing/go-tool.ts';
import { root } from '../../../../scripts/local/home.ts';

const source = join(root, 'test/e2e/tracing/collector');

/** The version in the name is the one in go.mod. Go completes the copy of that file with what these modules need themselves. */
export const compileCollector = (): Promise<GoTool> =>
  compileWithGo(
    'collector-0.165.0',
    (target) => {
      copyFileSync(`${source}/go.mod`, `${target}/go.mod`);
      return ['build', '-mod=mod', `-modfile=${target}/go.mod`, '-o', target, '.'];
    },
    source,
  );
