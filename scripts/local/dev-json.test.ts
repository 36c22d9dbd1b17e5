import { expect, test } from '@jest/globals';
import { createTerminal } from '../terminal/terminal.ts';
import { showScreen } from './dev-json.ts';

const home = {
  path: '/home',
  cache: '/home/cache',
  file: (name: string) => `/home/${name}`,
  log: (name: string) => `/home/logs/${name}.log`,
};

function screenFor(gatewayUrl: string, hubUrl: string): string {
  let screen = '';
  const terminal = createTerminal({
    write(text: string | Uint8Array) {
      screen += text;
      return true;
    },
  });
  const run = {
    ...{
      gatewayUrl,
      hubUrl,
      dashboardUrl: gatewayUrl,
      userId: 'u',
      consumerKey: 'hs_c',
      providerKey: 'hs_prov_p',
    },
    ...{ databaseUrl: '', redisUrl: '', natsUrl: '', opsUrls: {} },
  };
  showScreen(terminal, run, home);
  return screen;
}

test('a port is explained when it is not the usual one', () => {
  expect(screenFor('http://127.0.0.1:8080', 'http://127.0.0.1:8090')).not.toContain('taken');
  const other = screenFor('http://127.0.0.1:8081', 'http://127.0.0.1:8090');
  expect(other).toContain('http://127.0.0.1:8081  (port 8080 was taken)\n');
  expect(other).toContain('http://127.0.0.1:8090\n');
});
