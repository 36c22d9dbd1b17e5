import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceName } from '../local/service-list.ts';

/** `services/hub` or `packages/kit` -> the services that run its code. */
export type AffectedServices = (workspace: string) => ServiceName[];

/** Reads from the packages' own manifests who is made of what. */
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
    // Vite builds the web app from the sources of the SDK too, so what is compiled of the SDK concerns no service.
    if (workspace === 'services/dashboard/web') return ['dashboard'];
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
