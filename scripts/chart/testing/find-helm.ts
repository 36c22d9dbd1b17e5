import { findOnPath } from '../../servers/find-program.ts';
import { compileWithGo, type GoTool } from './go-tool.ts';

const version = '3.22.0';

/** `helm` of the PATH, or else compiled once with Go. */
export async function findHelm(): Promise<GoTool> {
  const installed = findOnPath(['helm']);
  if (installed) return { path: installed };
  const module = `helm.sh/helm/v3/cmd/helm@v${version}`;
  return await compileWithGo(`helm-${version}`, () => ['install', '-p', '2', '-ldflags', '-s -w', module]);
}
