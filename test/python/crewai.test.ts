import { describe, expect } from '@jest/globals';
import { findClientPython } from '../../scripts/python/build-package.ts';
import { whyMissing } from '../../scripts/servers/find-tool.ts';
import { testUnless } from '../../scripts/testing/test-unless.ts';
import { usePackage } from './use-package.ts';

/* clients/python/examples/crewai_flow.py with the real CrewAI: RELAY_TEST_CREWAI=true npm run test:all -- test/python/crewai */

const isOn = process.env.RELAY_TEST_CREWAI === 'true';
const install = async (requirements: string) =>
  isOn
    ? await findClientPython(requirements)
    : { missing: 'RELAY_TEST_CREWAI is not "true": CrewAI takes 2 GB and four minutes to install' };

describe.each([
  { version: 'oldest', python: await install('crewai-oldest-requirements.txt') },
  { version: 'newest', python: await install('crewai-requirements.txt') },
])('the example for the $version CrewAI', ({ python }) => {
  const { pytest } = usePackage(python);

  testUnless(whyMissing(python))(
    'has the properties of the adapters',
    async () => {
      const { code, output } = await pytest(['tests/frameworks/test_crewai.py']);
      process.stdout.write(`CrewAI: ${output.trim().split('\n').at(-1)}\n`);
      expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
    },
    1_200_000,
  );
});
