import TestSequencer from '@jest/test-sequencer';

/** The files that take longest. One that started last would leave the other workers idle at the end. */
const slowest = [
  'test/faults/',
  'test/browser/',
  'test/operations/',
  'packages/sdk/src/lies-to-',
  'test/conformance/large-bodies',
  'test/fuzz/',
  'packages/cli/src/',
  'packages/db/src/',
];

const rank = ({ path }) => {
  const at = slowest.findIndex((part) => path.includes(part));
  return at === -1 ? slowest.length : at;
};

/** A fresh checkout has no durations of an earlier run, by which Jest sorts: the slowest files are named here. */
// biome-ignore lint/style/noDefaultExport: Jest takes no other.
export default class extends TestSequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
}
