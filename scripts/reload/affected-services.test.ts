import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { readAffectedServices } from './affected-services.ts';

const affected = readAffectedServices(fileURLToPath(new URL('../..', import.meta.url)));

test('a change in a service concerns that service alone', () =>
  expect(affected('services/hub')).toEqual(['hub']));

test('a change in kit concerns all services', () => expect(affected('packages/kit')).toHaveLength(6));

test('a new build of the web app concerns the dashboard, which serves it', () => {
  expect(affected('services/dashboard/web')).toEqual(['dashboard']);
  expect(affected('packages/sdk')).toEqual([]);
});

test('a change in db concerns those that have a database', () => {
  expect(affected('packages/db')).not.toContain('hub');
  expect(affected('packages/db')).not.toContain('dashboard');
  expect(affected('packages/db')).toContain('requests');
});
