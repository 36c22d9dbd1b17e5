import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createVisitor } from './visitor.ts';

let relay: Constellation;

beforeAll(async () => {
  relay = await startConstellation();
});
afterAll(() => relay.stop());

test('the form of the sign-in page leads to the page that was wanted, and a call to the start page', async () => {
  const visitor = createVisitor(relay.gatewayUrl);
  const open = () => visitor.get('/dashboard/keys?a=b', { accept: 'text/html' });
  expect((await open()).headers.get('location')).toBe('/auth/login');
  const { text } = await visitor.get('/auth/login');
  const fields = [...text.matchAll(/<input type="hidden" name="(\w+)" value="(\w+)">/g)];
  const form = Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
  expect(form).toMatchObject({ user: 'dev' });
  const locationOf = async (fields: Record<string, string>) =>
    (await visitor.post('/auth/dev', fields)).headers.get('location');
  expect(await locationOf({ user: 'dev' })).toBe('/dashboard');
  await visitor.post('/logout', {});
  await open();
  expect(await locationOf(form)).toBe('/dashboard/keys?a=b');
});
