import { existsSync, readdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { root } from '../local/home.ts';
import { type ServiceName, services } from '../local/services.ts';

const web = 'services/dashboard/web';
const scope = '@expert-relay/';

/** The services that run the code of a workspace, such as `packages/kit`. */
export function servicesWith(workspace: string): ServiceName[] {
  // The dashboard serves the web app, which has the compiled SDK in it. So the SDK itself is in no service.
  if (workspace === web) return ['dashboard'];
  return services.map(({ name }) => name).filter((name) => contains(`services/${name}`, workspace));
}

function contains(user: string, workspace: string): boolean {
  if (user === workspace) return true;
  const { dependencies = {} } = JSON.parse(readFileSync(join(root, user, 'package.json'), 'utf8'));
  return Object.keys(dependencies)
    .filter((name) => name.startsWith(scope))
    .some((name) => contains(`packages/${name.slice(scope.length)}`, workspace));
}

/** Calls back with the services that have new code, `quietMs` after the last change. */
export function watchBuiltCode(changed: (services: Set<ServiceName>) => void, quietMs = 300): void {
  const pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function note(workspace: string, file: string | null): void {
    // The compiler writes `.tsbuildinfo` even where no code has changed.
    if (workspace !== web && !file?.endsWith('.js')) return;
    pending.add(workspace);
    clearTimeout(timer);
    timer = setTimeout(() => {
      changed(new Set([...pending].flatMap(servicesWith)));
      pending.clear();
    }, quietMs);
  }

  for (const workspace of [...foldersIn('packages'), ...foldersIn('services'), web]) {
    const built = join(root, workspace, 'dist');
    if (existsSync(built)) watch(built, { recursive: true }, (_event, file) => note(workspace, file));
  }
}

const foldersIn = (kind: string): string[] => readdirSync(join(root, kind)).map((name) => `${kind}/${name}`);
