import { existsSync, type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';

const web = 'services/dashboard/web';

/** Reports which workspaces (`packages/kit`) got new code, after a moment without further changes. */
export function watchBuiltCode(
  root: string,
  changed: (workspaces: string[]) => void,
  quiet = 300,
): () => void {
  const waiting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function note(workspace: string, file: string | null): void {
    // The compiler touches its own notes even where no code changed.
    if (workspace !== web && !file?.endsWith('.js')) return;
    waiting.add(workspace);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const workspaces = [...waiting];
      waiting.clear();
      changed(workspaces);
    }, quiet);
  }

  const watchers: FSWatcher[] = ['packages', 'services']
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
