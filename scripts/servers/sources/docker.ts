import { createHash } from 'node:crypto';
import { runCommand } from '../../processes/run-command.ts';
import type { Found, Launch, Placement } from '../server-kind.ts';

/** A container, when a Docker engine answers and has the image or can get it; else the reason. */
export async function findContainer(
  placement: Placement,
  say: (text: string) => void,
): Promise<Found | string> {
  const { kind, data } = placement;
  if (!(await docker(['info'], 5_000))) return 'no Docker engine answers';
  const major = kind.majorOfData?.(data);
  const image = major ? kind.container.image.replace(/:\d+/, `:${major}`) : kind.container.image;
  if (!(await docker(['image', 'inspect', image], 10_000))) {
    say(`docker pull ${image}`);
    if (!(await docker(['pull', '--quiet', image], 300_000))) return `Docker could not get ${image}`;
  }
  const version = `${image.replace(/^.*:|-.*$/g, '')} in Docker`;
  return { version, launch: launch(placement, image) };
}

function launch(placement: Placement, image: string): Launch {
  const { kind, home, data, port } = placement;
  const { name, container: settings } = kind;
  const hash = createHash('sha256').update(home.path).digest('hex').slice(0, 8);
  const container = `expert-relay-${hash}-${name}`;
  const account = process.getuid?.() ? [`--user=${process.getuid()}:${process.getgid?.()}`] : [];
  const options = [
    '--rm',
    `--name=${container}`,
    ...account,
    `--publish=127.0.0.1:${port}:${settings.port}`,
    `--mount=type=bind,source=${data},target=${settings.dataFolder}`,
    ...(settings.options ?? []),
  ];
  return {
    command: 'docker',
    args: ['run', ...options, image, ...settings.command(placement)],
    env: settings.env?.(placement) ?? {},
    container,
    // The container of a client that was killed still runs.
    prepare: async () => void (await docker(['rm', '--force', container], 20_000)),
  };
}

function docker(args: readonly string[], timeout: number): Promise<boolean> {
  const running = runCommand({ command: 'docker', args, timeout, failure: `docker ${args[0]} failed` });
  return running.then(
    () => true,
    () => false,
  );
}
