import { createHash } from 'node:crypto';
import { runCommand } from '../../processes/run-command.ts';
import type { Launch, Place, ServerKind } from '../server-kind.ts';
import type { Answer, Found, Source } from './source.ts';

/** Containers, when a Docker engine answers and has the images or can get them. */
export const inDocker: Source = async (sought, _home, say): Promise<Answer> => {
  if (!(await docker(['info'], 5_000))) return { found: [], trouble: 'no Docker engine answers' };
  const found: Found[] = [];
  for (const { kind, data } of sought) {
    const image = imageFor(kind, data);
    if (!(await docker(['image', 'inspect', image], 10_000))) {
      say(`docker pull ${image}`);
      if (!(await docker(['pull', '--quiet', image], 300_000))) continue;
    }
    found.push({
      kind,
      version: `${image.replace(/^.*:|-.*$/g, '')} in Docker`,
      launch: async (place) => launch(kind, place, image),
    });
  }
  return found.length === sought.length ? { found } : { found, trouble: 'Docker could not get the images' };
};

function launch(kind: ServerKind, place: Place, image: string): Launch {
  const container = `expert-relay-${createHash('sha256').update(place.home.path).digest('hex').slice(0, 8)}-${kind.name}`;
  const { options, command, env } = kind.runImage(place);
  const account = process.getuid?.() ? [`--user=${process.getuid()}:${process.getgid?.()}`] : [];
  return {
    command: 'docker',
    args: ['run', '--rm', `--name=${container}`, ...account, ...options, image, ...command],
    ...(env ? { env } : {}),
    container,
    // A client that was killed leaves its container running.
    prepare: async () => void (await docker(['rm', '--force', container], 20_000)),
  };
}

function imageFor(kind: ServerKind, data: string): string {
  const major = kind.majorOfData?.(data);
  return major ? kind.image.replace(/:\d+/, `:${major}`) : kind.image;
}

async function docker(args: readonly string[], timeout: number): Promise<boolean> {
  const told = runCommand({ command: 'docker', args, timeout, failure: `docker ${args[0]} failed` });
  return told.then(
    () => true,
    () => false,
  );
}
