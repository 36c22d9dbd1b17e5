import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
}

interface Run {
  readonly program: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Runs one turn of Codex as an editor does, over the protocol of its app server, since `codex exec` never asks. Its user trusts
 * the hooks, and declines whatever they do not decide. Returns what that user was asked.
 */
export async function runCodex({ program, cwd, env }: Run): Promise<readonly string[]> {
  const codex = spawn(program, ['app-server'], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: 240_000,
  });
  const ended = once(codex, 'close');
  const write = (message: object) => codex.stdin.write(`${JSON.stringify(message)}\n`);
  const asked: string[] = [];
  const answers = new Map<number, (result: never) => void>();
  let completed = () => {};
  const isCompleted = new Promise<void>((resolve) => {
    completed = resolve;
  });
  createInterface({ input: codex.stdout }).on('line', (line) => {
    const { id, method, result }: Message = JSON.parse(line);
    if (method === 'turn/completed') completed();
    if (method === undefined) answers.get(Number(id))?.(result as never);
    else if (id !== undefined) {
      asked.push(method);
      write({ id, result: { decision: 'decline' } });
    }
  });
  let calls = 0;
  const call = <T>(method: string, params: object): Promise<T> => {
    calls += 1;
    write({ id: calls, method, params });
    return new Promise((resolve) => answers.set(calls, resolve));
  };
  try {
    await call('initialize', { clientInfo: { name: 'test', title: 'Test', version: '1' } });
    write({ method: 'initialized' });
    await trustHooks(call, cwd);
    const { thread } = await call<{ thread: { id: string } }>('thread/start', {
      cwd,
      approvalPolicy: 'on-request',
      sandbox: 'workspace-write',
    });
    await call('turn/start', { threadId: thread.id, input: [{ type: 'text', text: 'Go on.' }] });
    await Promise.race([isCompleted, ended]);
  } finally {
    codex.kill();
    await ended;
  }
  return asked;
}

interface HookList {
  readonly data: readonly {
    readonly hooks: readonly { readonly key: string; readonly currentHash: string }[];
  }[];
}

/** As its user does with `/hooks`. */
async function trustHooks(
  call: <T>(method: string, params: object) => Promise<T>,
  cwd: string,
): Promise<void> {
  const { data } = await call<HookList>('hooks/list', { cwds: [cwd] });
  const hooks = data.flatMap((one) => one.hooks);
  const value = Object.fromEntries(hooks.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }]));
  const edits = [{ keyPath: 'hooks.state', value, mergeStrategy: 'upsert' }];
  await call('config/batchWrite', { edits, reloadUserConfig: true });
}
