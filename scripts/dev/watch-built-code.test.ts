import { expect, test } from '@jest/globals';
import { servicesWith } from './watch-built-code.ts';

test('a change in a service concerns that service alone', () =>
  expect(servicesWith('services/hub')).toEqual(['hub']));

test('a change in kit concerns all services', () => expect(servicesWith('packages/kit')).toHaveLength(6));

test('a new build of the web app concerns the dashboard, which serves it', () => {
  expect(servicesWith('services/dashboard/web')).toEqual(['dashboard']);
  expect(servicesWith('packages/sdk')).toEqual([]);
});

test('a change in db concerns the services that have a database', () => {
  const affected = servicesWith('packages/db');
  expect(affected).not.toContain('hub');
  expect(affected).not.toContain('dashboard');
  expect(affected).toContain('requests');
});
