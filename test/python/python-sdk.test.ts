import { describe, expect } from '@jest/globals';
import { findClientPython } from '../../scripts/python/build-package.ts';
import { whyMissing } from '../../scripts/servers/find-tool.ts';
import { testUnless } from '../../scripts/testing/test-unless.ts';
import { usePackage } from './use-package.ts';

/* clients/python, as it is packed: its own tests, and conversations with the TypeScript SDK at a real relay. */

const python = await findClientPython('requirements.txt');
const testWithPython = testUnless(whyMissing(python));

describe('the Python SDK', () => {
  const { pytest } = usePackage(python);

  testWithPython(
    'passes its tests, as it is installed from its wheel',
    async () => {
      const { code, output } = await pytest(['tests', '--ignore', 'tests/frameworks']);
      process.stdout.write(`The Python SDK: ${output.trim().split('\n').at(-1)}\n`);
      expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
      // All shared cases: the vectors, the forms and decisions, and the lies.
      expect(Number(/(\d+) passed/.exec(output)?.[1])).toBeGreaterThan(1_100);
      expect(output).not.toContain('skipped');
    },
    1_200_000,
  );
});
