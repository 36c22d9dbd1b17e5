import { describe, expect } from '@jest/globals';
import { findClientPython } from '../../scripts/python/build-package.ts';
import { whyMissing } from '../../scripts/servers/find-tool.ts';
import { testUnless } from '../../scripts/testing/test-unless.ts';
import { usePackage } from './use-package.ts';

/* The adapters of clients/python, with the real frameworks and scripted models. */

const python = await findClientPython('adapters-requirements.txt');
const testWithFrameworks = testUnless(whyMissing(python));

describe('the adapters of the Python SDK', () => {
  const { pytest, mypy, pyright } = usePackage(python);

  testWithFrameworks(
    'have the properties of docs/adapters.json',
    async () => {
      const { code, output } = await pytest(
        'tests/frameworks',
        '--ignore',
        'tests/frameworks/test_crewai.py',
      );
      process.stdout.write(`The adapters: ${output.trim().split('\n').at(-1)}\n`);
      expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
    },
    1_200_000,
  );

  /** Files that import the frameworks, for which mypy needs a minute more. Pyright reads the adapters, and the tests run the rest. */
  const ofFrameworks =
    'adapters/(langgraph|openai_agents|pydantic_ai)|tests/frameworks|(crewai|langgraph|openai|pydantic)_(agent|flow)';

  testWithFrameworks('have strict types, as has the rest of the package', async () => {
    expect(await mypy('--exclude', ofFrameworks, 'src', 'tests', 'examples')).toMatch(/^Success/);
    expect(await pyright()).toContain('0 errors, 0 warnings');
  });
});
