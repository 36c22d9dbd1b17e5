import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  deleteRedisKeys,
  openStream,
  startOwnNats,
  submit,
  testServers,
  topicUrl,
  untilAvailable,
} from '@expert-relay/testkit';
import { expect } from '@jest/globals';
import pg from 'pg';
import { findTool, requireTool, whyMissing } from '../../scripts/servers/find-tool.ts';
import { postgres } from '../../scripts/servers/postgres.ts';
import { startOwnServer } from '../../scripts/servers/testing/start-own-server.ts';
import { testUnless } from '../../scripts/testing/test-unless.ts';
import { postgresTools, postgresWithTools } from '../tools.ts';
import { commandsOf, openShell } from './page-commands.ts';
import { runProduct } from './run-product.ts';
import { asSuperuser, createUser, makeDatabase, makeSecret, migrate } from './run-programs.ts';

/* The backup and the restore, with the commands of docs/backup.md. */

// pg_dump must be of the server's version, which npm's Postgres does not have with it: so the server is the test's own.
const tool = await findTool(postgresWithTools);
const withDump = testUnless(whyMissing(tool));
const { redisUrl } = testServers();

withDump(
  'after a restore, the saved data exists and the relay works',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'relay-restore-'));
    const program = requireTool(tool);
    await using ownPostgres = await startOwnServer(postgres, program);
    await using newPostgres = await startOwnServer(postgres, program);
    const ownNats = await startOwnNats();
    const redisPrefix = `restore-${randomBytes(4).toString('hex')}`;
    await using original = await makeDatabase(ownPostgres.url);
    await using data = await makeDatabase(ownPostgres.url);
    try {
      await migrate(original.url);
      const secret = await makeSecret({ databaseUrl: original.url, natsUrl: ownNats.url, redisUrl });
      await using product = await runProduct({
        secret,
        settings: { RELAY_REDIS_PREFIX: redisPrefix, RELAY_DATABASE_POOL: '2' },
      });
      await using shell = await openShell(product, secret, postgresTools(program));
      const { gatewayUrl, hubUrl } = product;
      const user = await createUser(original.url);
      const { body: kept } = await submit(gatewayUrl, user.consumerKey);
      const read = (requestId: string) =>
        untilAvailable(() =>
          fetch(`${gatewayUrl}/api/v1/messages/${requestId}`, { headers: { 'x-api-key': user.consumerKey } }),
        );
      const conversation = await (await read(kept.requestId)).text();

      const inFolder = (commands: string, env = {}) => shell.run(`cd ${folder}\n${commands}`, env);
      const [address] = commandsOf('The address of the database');
      const [backUp, backUpSecret] = commandsOf('Back up');
      const [onSameServer] = commandsOf('On the same server');
      const [onNewServer = ''] = commandsOf('On a new server');
      const [stop, restore, install] = commandsOf('Into the new database');
      const [dataAlone] = commandsOf('Only the data');
      await inFolder(`${address}${backUp}${backUpSecret}`);
      const { body: lost } = await submit(gatewayUrl, user.consumerKey);
      await inFolder(`${address}${onSameServer}${restore}`, { ADMIN_URL: ownPostgres.url });
      const onOldServer = withParts(original.url, { pathname: 'restored' });
      expect(await countRows(onOldServer)).toMatchObject({ users: '1', help_requests: '1' });
      // A new server has no role "relay". Here it is the superuser until it gets another name.
      const admin = { username: 'admin', password: 'for-this-test' };
      await asSuperuser(`CREATE ROLE admin SUPERUSER LOGIN PASSWORD '${admin.password}'`, newPostgres.url);
      const env = {
        ADMIN_URL: withParts(newPostgres.url, admin).url,
        NEW_HOST: new URL(newPostgres.url).host,
      };
      await asSuperuser('ALTER ROLE relay RENAME TO first', env.ADMIN_URL);
      // This server has no TLS.
      const makeDatabaseThere = onNewServer.replace('?sslmode=verify-full', '');
      await inFolder(`${makeDatabaseThere}${stop}${restore}${install}`, env);
      expect(secret.DATABASE_URL).toMatch(`@${env.NEW_HOST}/restored`);
      expect(await (await read(kept.requestId)).text()).toBe(conversation);
      expect((await read(lost.requestId)).status).toBe(404);
      // Events of new requests reach readers.
      const topic = topicUrl(hubUrl, `/svc/providers/${user.userId}`);
      const stream = await openStream(topic, { headers: { 'x-api-key': user.providerKey } });
      await submit(gatewayUrl, user.consumerKey, { question: 'After the restore?' });
      await stream.next({ question: 'After the restore?' });
      await stream.close();

      await migrate(data.url);
      await inFolder(`${dataAlone}`, { DATABASE_URL: original.url, MIGRATED_URL: data.url });
      const counts = await Promise.all([original, data].map(countRows));
      expect(counts[1]).toEqual(counts[0]);
      expect(counts[0]?.request_stages).toBe('2');
    } finally {
      await deleteRedisKeys(redisUrl, redisPrefix);
      await ownNats.stop();
      rmSync(folder, { recursive: true });
    }
    // Takes 30 s on two idle cores, and four times as long on a busy machine.
  },
  300_000,
);

const withParts = (url: string, parts: Partial<URL>) => ({ url: Object.assign(new URL(url), parts).href });

/** The number of rows of each table. */
async function countRows({ url }: { url: string }): Promise<Record<string, string>> {
  const client = new pg.Client(url);
  await client.connect();
  const counts: Record<string, string> = {};
  const { rows } = await client.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`);
  for (const { tablename } of rows) {
    counts[tablename] = (await client.query(`SELECT count(*) FROM ${tablename}`)).rows[0].count;
  }
  await client.end();
  return counts;
}
