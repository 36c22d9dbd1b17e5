import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ensureDevUser } from './dev-user.ts';
import { openHome } from './home.ts';
import { makeSecrets } from './secrets.ts';

test('the stored user is kept when the relay answers its keys with anything but 401, such as a rate limit', async () => {
  const home = openHome(mkdtempSync(join(tmpdir(), 'dev-user-')));
  const server = createServer((_, response) => response.writeHead(429).end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const devUser = { userId: 'u', consumerKey: 'hs_a', providerKey: 'hs_prov_b' };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    // Without a database, a new user cannot be made.
    expect(await ensureDevUser(home, { ...makeSecrets(), devUser }, {}, url)).toEqual(devUser);
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(home.path, { recursive: true });
  }
});
