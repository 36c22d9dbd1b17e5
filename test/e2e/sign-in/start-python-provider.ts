import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually, reservePort } from '@expert-relay/testkit';
import { findPythonWithPackages } from '../../../scripts/python/find-python.ts';
import { pythonRequirements } from '../../tools.ts';

export const python = await findPythonWithPackages(pythonRequirements);

export interface PythonProvider {
  readonly issuer: string;
  stop(): Promise<void>;
}

/** An OpenID provider that shares no code with the other one of these tests. It accepts any client. */
export async function startPythonProvider(users: readonly object[]): Promise<PythonProvider> {
  const issuer = `http://127.0.0.1:${await reservePort()}`;
  const claims = users.flatMap((user) => ['--user-claims', JSON.stringify(user)]);
  const args = ['-W', 'ignore', '-m', 'oidc_provider_mock', '--port', new URL(issuer).port, ...claims];
  const program = spawn('program' in python ? python.program : '', args, { stdio: 'ignore' });
  const exited = once(program, 'exit');
  await eventually('the provider responds', async () => {
    if (program.exitCode !== null) throw new Error(`The provider ended with exit code ${program.exitCode}.`);
    return await fetch(`${issuer}/.well-known/openid-configuration`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  return {
    issuer,
    async stop() {
      program.kill();
      await exited;
    },
  };
}
