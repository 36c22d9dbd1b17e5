import { createHash } from 'node:crypto';
import { runCommand } from '../../processes/run-command.ts';
import type { Found, Launch, Placement, ServerKind, Source } from '../server-kind.ts';

/** Containers, when a Docker engine answers and has the images or can get them. */
export const fromDocker: Source = async (wanted, _home, say) => {
  if (!(await docker(['info'], 5_000))) return { found: [], trouble: 'no Docker engine answers' };
  const found: Found[] = [];
  for (const { kind, data } of wanted) {
    const image = imageFor(kind, data);
    if (!(await docker(['image', 'inspect', image], 10_000))) {
      say(`docker pull ${image}`);
      if (!(await docker(['pull', '--quiet', image], 300_000))) continue;
    }
    found.push({
      kind,
      version: `${image.replace(/^.*:|-.*$/g, '')} in Docker`,
      launch: async (placement) => launch(kind, placement, image),
    });
  }
  return found.length === wanted.length ? { found } : { found, trouble: 'Docker could not get the images' };
};

function launch(kind: ServerKind, placement: Placement, image: string): Launch {
  const container = `expert-relay-${createHash('sha256').update(placement.home.path).digest('hex').slice(0, 8)}-${kind.name}`;
  const { options, command, env } = kind.runImage(placement);
  const account = process.getuid?.() ? [`--user=${process.getuid()}:${process.getgid?.()}`] : [];
  return {
    command: 'docker',
    args: ['run', '--rm', `--name=${container}`, ...account, ...options, image, ...command],
    ...(env ? { env } : {}),
    container,
    // The container of a client that was killed still runs.
    prepare: async () => void (await docker(['rm', '--force', container], 20_000)),
  };
}

function imageFor(kind: ServerKind, data: string): string {
  const major = kind.majorOfData?.(data);
  return major ? kind.image.replace(/:\d+/, `:${major}`) : kind.image;
}

async function docker(args: readonly string[], timeout: number): Promise<boolean> {
  const result = runCommand({ command: 'docker', args, timeout, failure: `docker ${args[0]} failed` });
  return result.then(
    () => true,
    () => false,
  );
}
