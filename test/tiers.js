/**
 * What `npm test` leaves to `npm run test:all`: browsers, Helm, Go and Python, servers that are killed, programs that start
 * dozens of times, tables that are multiplied. A folder ends with `/`, and a file stands without `.test.ts`.
 */
export const heavy = [
  'packages/adapters/src/frameworks',
  'packages/cli/src/commands/answer',
  'packages/cli/src/commands/approve',
  'packages/cli/src/commands/ask',
  'packages/cli/src/commands/listen/',
  'packages/cli/src/every-exact-text',
  'packages/cli/src/hostile-agent',
  'packages/cli/src/hostile-relay',
  'packages/cli/src/lies-to-agents',
  'packages/cli/src/lies-to-experts',
  'packages/cli/src/mcp/broken-files',
  'packages/cli/src/mcp/decisions',
  'packages/cli/src/mcp/delivery',
  'packages/cli/src/mcp/hostile-relay',
  'packages/cli/src/mcp/outages',
  'packages/cli/src/slow-relay',
  'packages/cli/src/unread-output',
  'packages/db/src/outbox/nats-faults',
  'packages/sdk/src/lies-to-agents',
  'packages/sdk/src/lies-to-experts',
  'packages/sdk/src/lies-to-signed-in-experts',
  'packages/sdk/src/programs',
  'packages/sdk/src/several-processes',
  'packages/sdk/src/too-large-answers',
  'packages/sdk/src/withdrawn-questions',
  'scripts/chart/alerts',
  'scripts/chart/environment',
  'scripts/chart/names',
  'scripts/chart/network-policies',
  'scripts/chart/promises',
  'scripts/chart/render',
  'scripts/chart/server-users',
  'scripts/chart/testing/',
  'scripts/images/',
  'scripts/release/',
  'scripts/tilt/',
  'services/dashboard/web/src/keys/snippets',
  'services/expiry-worker/src/faults',
  'services/expiry-worker/src/processes',
  'services/hub/src/resume/scan-fairness',
  'test/browser/',
  'test/cluster/',
  'test/conformance/isolation',
  'test/e2e/changed-calls',
  'test/e2e/channel-outages',
  'test/e2e/channels',
  'test/e2e/frozen-redis',
  'test/e2e/killed-servers',
  'test/e2e/late-nats',
  'test/e2e/long-answers',
  'test/e2e/outages',
  'test/e2e/refusing-servers',
  'test/e2e/retention',
  'test/e2e/sign-in/erased-user',
  'test/e2e/sign-in/openid',
  'test/e2e/sign-in/sessions',
  'test/e2e/start-failures',
  'test/e2e/tracing/',
  'test/e2e/webhook-outages',
  'test/examples/',
  'test/faults/',
  'test/fuzz/many-calls',
  'test/generators/',
  'test/operations/',
  'test/python/',
  'test/races/erased-users',
  'test/rules/lint',
  'test/rules/workflows',
];

/** @typedef {'quick' | 'rest' | 'all'} Tier `npm test`, `npm run test:rest` and `npm run test:all` */

/** @param {string} path of a test file, from the root of the repository */
export function isHeavy(path) {
  return heavy.some((entry) => path.startsWith(entry.endsWith('/') ? entry : `${entry}.test.`));
}

/** @param {string} path @param {Tier} tier */
export const isIn = (path, tier) => tier === 'all' || isHeavy(path) === (tier === 'rest');
