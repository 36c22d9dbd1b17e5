import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Permissions } from '@expert-relay/contracts';
import { nats, renderPermissions } from '../nats.ts';
import { type OwnServer, startOwnServer } from './start-own-server.ts';

export interface NatsWithUsers extends OwnServer {
  urlFor(user: string): string;
  /** What the server has refused to its users so far. */
  violations(): string[];
}

const password = 'for-this-test';

/** A NATS server whose users have exactly these permissions; `admin` may do everything. */
export async function startNatsWithUsers(
  users: Readonly<Record<string, Permissions>>,
): Promise<NatsWithUsers> {
  const folder = mkdtempSync(join(tmpdir(), 'expert-relay-nats-users-'));
  const [config, log] = [join(folder, 'nats.conf'), join(folder, 'nats.log')];
  const entries = Object.entries(users).map(
    ([user, permissions]) =>
      `{ user: ${user}, password: ${password}, permissions: ${renderPermissions(permissions)} }`,
  );
  const admin = `{ user: admin, password: ${password} }`;
  writeFileSync(
    config,
    `log_file: "${log}"\nauthorization { users: [ ${[admin, ...entries].join(', ')} ] }\n`,
  );

  const urlOf = (user: string, port: number) => `nats://${user}:${password}@127.0.0.1:${port}`;
  const server = await startOwnServer({
    ...nats,
    url: ({ port }) => urlOf('admin', port),
    runProgram(place, program) {
      const launch = nats.runProgram(place, program);
      return { ...launch, args: [...launch.args, '--config', config] };
    },
  });
  return {
    ...server,
    urlFor: (user) => urlOf(user, Number(new URL(server.url).port)),
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true });
    },
    violations: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => /violation/i.test(line)),
  };
}
