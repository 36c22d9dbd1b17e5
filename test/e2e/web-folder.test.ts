import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createVisitor, type Visitor } from './sign-in/visitor.ts';

let folder: string;
let relay: Constellation;
let visitor: Visitor;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'relay-builds-'));
  for (const name of ['first', 'second']) {
    mkdirSync(join(folder, name, 'assets'), { recursive: true });
    writeFileSync(join(folder, name, 'index.html'), `<!doctype html><title>${name}</title>`);
    writeFileSync(join(folder, name, `assets/${name}.js`), '');
  }
  relay = await startConstellation({ own: { dashboard: { RELAY_WEB_FOLDER: join(folder, 'first') } } });
  visitor = createVisitor(relay.gatewayUrl);
  await visitor.call('POST', '/auth/dev', { user: 'ada' });
});

afterAll(async () => {
  await relay.stop();
  rmSync(folder, { recursive: true });
});

/** What the dashboard serves, and which addresses the policy of the page allows. */
async function served() {
  const page = await visitor.get('/dashboard/requests');
  const [, build] = /<title>(.*)<\/title>/.exec(page.text) ?? [];
  const assets = await Promise.all(
    ['first', 'second'].map(async (name) => (await visitor.get(`/dashboard/assets/${name}.js`)).status),
  );
  const [, reachable] = /connect-src ([^;]*)/.exec(page.headers.get('content-security-policy') ?? '') ?? [];
  return { build, assets, reachable };
}

test('after a restart with another web folder, only files of that folder are served', async () => {
  const reachable = `'self' ${relay.hubUrl}`;
  expect(await served()).toEqual({ build: 'first', assets: [200, 404], reachable });
  await relay.restart('dashboard', { settings: { RELAY_WEB_FOLDER: join(folder, 'second') } });
  expect(await served()).toEqual({ build: 'second', assets: [404, 200], reachable });
});
