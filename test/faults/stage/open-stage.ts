import { eventually } from '@expert-relay/testkit';
import { createUser } from '../../../scripts/local/dev-user.ts';
import { readSecrets } from '../../../scripts/local/secrets.ts';
import type { Run } from '../../../scripts/local/with-run.ts';
import { openServers } from '../../../scripts/servers/open-servers.ts';
import { migrate } from '../../../scripts/steps/generate.ts';
import { openDatabase } from './database.ts';
import { lineUp, pair } from './line-up.ts';
import { createNetwork } from './network.ts';
import { openLineUp } from './open-line-up.ts';
import { createProcesses } from './processes.ts';
import { readLeaders } from './read-leaders.ts';
import type { Stage, StageSettings } from './stage.ts';
import { tellRedis } from './tell-redis.ts';

/** Starts everything from nothing: servers of its own, since they are killed and frozen, then the services. */
export async function openStage(run: Run, settings: StageSettings): Promise<Stage> {
  const { home, ports } = run;
  const processes = createProcesses(run);
  const network = createNetwork();
  const secrets = readSecrets(home);
  const { supervisor } = processes;
  const servers = await openServers({ home, ports, supervisor }, { durable: true, env: {} });

  const members = lineUp(settings.workers);
  const { urlOf, program } = await openLineUp({ run, network, servers, secrets, settings, members });
  const starting = Promise.all(members.map(async (member) => supervisor.start(await program(member))));
  // Whatever fails first is told; a service that waits in vain for its database must not be heard before.
  starting.catch(() => {});
  const env = { ...process.env, ...servers, DATABASE_DIRECT_URL: servers.DATABASE_URL };
  await migrate(env);
  const user = await createUser(env, 'dev');
  await starting;

  const outboxes = members.filter(({ service }) => service === 'requests' || service === 'messages');
  const leaders = () =>
    readLeaders(
      home,
      outboxes.map(({ name }) => name),
    );
  await eventually('somebody leads the outbox', () => leaders().length > 0, { within: 30_000 });
  const database = openDatabase(servers.DATABASE_URL);
  return {
    user,
    gatewayUrl: await network.lay(pair('clients', 'gateway'), urlOf('gateway')),
    hubUrls: await Promise.all(
      ['hub-1', 'hub-2'].map((name) => network.lay(pair('clients', name), urlOf(name))),
    ),
    processes,
    network,
    database,
    tellRedis: (command, ...args) => tellRedis(servers.REDIS_URL, command, ...args),
    leaders,
    async close() {
      processes.release();
      await network.stop();
      await database.close();
    },
  };
}
