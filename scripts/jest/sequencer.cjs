const { default: TestSequencer } = require('@jest/test-sequencer');

/** @typedef {Parameters<InstanceType<typeof TestSequencer>['sort']>[0]} Tests */

/** The files that take longest. One that started last would leave the other workers idle at the end. */
const slowest = [
  'test/python/',
  'test/faults/',
  'test/browser/',
  'test/operations/',
  'scripts/chart/',
  'packages/sdk/src/lies-to-',
  'test/fuzz/',
  'test/constellation/',
  'packages/cli/src/',
  'packages/db/src/',
];

/** @param {{ path: string }} test */
const rank = ({ path }) => {
  const at = slowest.findIndex((part) => path.includes(part));
  return at === -1 ? slowest.length : at;
};

/** A fresh checkout has no durations of an earlier run, by which Jest sorts: the slowest files are named here. */
module.exports = class extends TestSequencer {
  /** @override @param {Tests} tests */
  async sort(tests) {
    const sorted = [...(await super.sort(tests))];
    return sorted.sort((one, other) => rank(one) - rank(other));
  }
};
