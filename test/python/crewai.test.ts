import { describe, expect } from '@jest/globals';
import { findClientPython } from '../../scripts/python/build-package.ts';
import { whyMissing } from '../../scripts/servers/find-tool.ts';
import { testUnless } from '../../scripts/testing/test-unless.ts';
import { usePackage } from './use-package.ts';

/* clients/python/examples/crewai_flow.py with the real CrewAI: RELAY_TEST_CREWAI=true npm run test:all -- test/python/crewai */

const isOn = process.env.RELAY_TEST_CREWAI === 'true';
const python = isOn
  ? await findClientPython('crewai-requirements.txt')
  : { missing: 'RELAY_TEST_CREWAI is not "true": CrewAI takes 1 GB and two minutes to install' };
const testWithCrewai = testUnless(whyMissing(python));

describe('the example for CrewAI', () => {
  const { pytest } = usePackage(python);

  testWithCrewai(
    'has the properties of the adapters',
    async () => {
      const { code, output } = await pytest('tests/frameworks/test_crewai.py');
      process.stdout.write(`CrewAI: ${output.trim().split('\n').at(-1)}\n`);
      expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
    },
    1_200_000,
  );
});
