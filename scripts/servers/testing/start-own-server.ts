import * as testkit from '@expert-relay/testkit';
import { openHome } from '../../local/home.ts';
import { findTool, requireTool } from '../find-tool.ts';
import type { FoundProgram, Placement, ServerKind } from '../server-kind.ts';

export interface OwnServer extends testkit.OwnServer {
  readonly url: string;
}

/** A real server of a test's own, started as `npm start` starts it, for tests that take it away. */
export async function startOwnServer(kind: ServerKind, program?: FoundProgram): Promise<OwnServer> {
  const chosen = program ?? requireTool(await findTool(kind));
  let url = '';
  const server = await testkit.launchOwnServer(kind.name, ({ folder, data, port }) => {
    const home = openHome(folder);
    const placement: Placement = { kind, home, data, port, password: 'for-this-test', durable: true };
    url = kind.url(placement);
    const { env, ...launch } = kind.runProgram(placement, chosen);
    const isReady = () =>
      kind.probe(new URL(url)).then(
        () => true,
        () => false,
      );
    return { ...launch, env: { LC_ALL: 'C', ...chosen.env, ...env }, isReady };
  });
  return Object.assign(server, { url });
}
