import { findClientPython } from '../../scripts/python/build-package.ts';
import { whyMissing } from '../../scripts/servers/find-tool.ts';
import { type ConditionalTest, testUnless } from '../../scripts/testing/test-unless.ts';

/** The program of a Python that has all that `clients/python` needs, and the `test` of Jest, which skips where there is none. */
export async function pythonForTests(): Promise<{ program: string; testWithPython: ConditionalTest }> {
  const python = await findClientPython('requirements.txt');
  return {
    program: 'program' in python ? python.program : '',
    testWithPython: testUnless(whyMissing(python)),
  };
}
