import { existsSync, readdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { ServiceName } from '../local/services.ts';

const web = 'services/dashboard/web';

/** `services/hub` or `packages/kit` -> the services that run its code. */
export type AffectedServices = (workspace: string) => ServiceName[];

/** Reads the dependencies between workspaces from their manifests. */
export function readAffectedServices(root: string): AffectedServices {
  const manifests = ['packages', 'services'].flatMap((kind) =>
    readdirSync(join(root, kind)).map((name) => readManifest(root, `${kind}/${name}`)),
  );
  const byName = new Map(manifests.map((manifest) => [manifest.name, manifest]));

  function contains(name: string, workspace: string): boolean {
    const manifest = byName.get(name);
    if (!manifest) return false;
    return manifest.folder === workspace || manifest.dependencies.some((one) => contains(one, workspace));
  }

  return (workspace) => {
    // Vite builds the web app from the sources of the SDK too, so the compiled SDK concerns no service.
    if (workspace === web) return ['dashboard'];
    return manifests
      .filter(({ folder, name }) => folder.startsWith('services/') && contains(name, workspace))
      .map(({ folder }) => folder.slice('services/'.length) as ServiceName);
  };
}

interface Manifest {
  folder: string;
  name: string;
  dependencies: string[];
}

function readManifest(root: string, folder: string): Manifest {
  const { name, dependencies } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  return { folder, name, dependencies: Object.keys(dependencies ?? {}) };
}

/** Calls back with the workspaces (`packages/kit`) that have new code, `quietMs` after the last change. */
export function watchBuiltCode(
  root: string,
  changed: (workspaces: string[]) => void,
  quietMs = 300,
): () => void {
  const pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function note(workspace: string, file: string | null): void {
    // The compiler writes `.tsbuildinfo` even where no code has changed.
    if (workspace !== web && !file?.endsWith('.js')) return;
    pending.add(workspace);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const workspaces = [...pending];
      pending.clear();
      changed(workspaces);
    }, quietMs);
  }

  const watchers = ['packages', 'services']
    .flatMap((kind) => readdirSync(join(root, kind)).map((name) => `${kind}/${name}`))
    .concat(web)
    .filter((workspace) => existsSync(join(root, workspace, 'dist')))
    .map((workspace) =>
      watch(join(root, workspace, 'dist'), { recursive: true }, (_event, file) => note(workspace, file)),
    );

  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
