import { join } from 'node:path';
import { describe, expect } from '@jest/globals';
import { findClientPython, pythonClient } from '../../scripts/python/build-package.ts';
import { installOver } from '../../scripts/python/find-python.ts';
import { whyMissing } from '../../scripts/servers/find-tool.ts';
import { testUnless } from '../../scripts/testing/test-unless.ts';
import { usePackage } from './use-package.ts';

/* The adapters of clients/python, with the real frameworks and scripted models. */

const python = await findClientPython('adapters-requirements.txt');
const testWithFrameworks = testUnless(whyMissing(python));
/** LangGraph runs as it does without modes, which came later. */
const names = ['LangGraph, batched', 'LangGraph, Agent Inbox', 'OpenAI Agents SDK', 'Pydantic AI'];
const oldest = join(pythonClient, 'oldest-requirements.txt');

describe('the adapters of the Python SDK', () => {
  const { pytest, mypy, pyright } = usePackage(python);

  testWithFrameworks(
    'have the properties of docs/adapters.json, and the first one with the oldest versions of the frameworks',
    async () => {
      const own = pytest(['tests/frameworks', '--ignore', 'tests/frameworks/test_crewai.py']);
      const over = 'program' in python ? await installOver(python, oldest) : '';
      const env = { FIRST_PROPERTY_OF: JSON.stringify(names) };
      const runs = await Promise.all([own, pytest(['tests/frameworks/test_properties.py'], { over, env })]);
      for (const { output } of runs)
        process.stdout.write(`The adapters: ${output.trim().split('\n').at(-1)}\n`);
      expect(runs.map(({ code, output }) => (code === 0 ? '' : output))).toEqual(['', '']);
    },
    1_200_000,
  );

  /** Files that import the frameworks, for which mypy needs a minute more. Pyright reads the adapters, and the tests run the rest. */
  const ofFrameworks =
    'adapters/(langgraph|openai_agents|pydantic_ai)|tests/frameworks|(crewai|langgraph|openai|pydantic)_(agent|flow)';

  testWithFrameworks('have strict types, as has the rest of the package', async () => {
    const types = await Promise.all([mypy('--exclude', ofFrameworks, 'src', 'tests', 'examples'), pyright()]);
    expect(types).toEqual([
      expect.stringMatching(/^Success/),
      expect.stringContaining('0 errors, 0 warnings'),
    ]);
  });
});
