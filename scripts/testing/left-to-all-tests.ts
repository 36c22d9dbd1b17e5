/** `npm test` fetches and compiles nothing that `npm start` does not need: a test that needs more is skipped there, with this reason. */
export function leftToAllTests(title: string): { missing: string } | undefined {
  if (process.env.RELAY_TEST_TIER !== 'quick') return undefined;
  return { missing: `${title} is missing, and only npm run test:all fetches it` };
}
