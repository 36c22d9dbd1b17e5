import { expect, test } from '@jest/globals';
import { captureLogs } from './capture-logs.ts';

test('captureLogs: keeps the log lines of all services, with secrets redacted', () => {
  const { logOf, lines } = captureLogs();
  logOf('gateway').warn({ status: 401, apiKey: 'hs_secret' }, 'refused');
  logOf('hub').info('started');
  expect(lines).toMatchObject([
    { level: 'warn', service: 'gateway', msg: 'refused', status: 401, apiKey: '[redacted]' },
    { level: 'info', service: 'hub', msg: 'started' },
  ]);
});
