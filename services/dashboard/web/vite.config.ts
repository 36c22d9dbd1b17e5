import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { build, defineConfig, type Plugin } from 'vite';

export default defineConfig({
  base: '/dashboard/',
  resolve: {
    conditions: ['relay-source'],
    alias: { '@lezer/highlight': join(import.meta.dirname, 'src/text/no-styles.ts') },
  },
  build: {
    // Also browsers without X25519 or Ed25519 (before Chrome 137, Firefox 130, Safari 17), for plain conversations.
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsDir: 'assets',
    // The content security policy of the page allows files only, no inlined data.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    // A build that fails must not remove the previous one. `finishBuild` removes old files.
    emptyOutDir: false,
    // Libraries mark modules with "use client" for frameworks that render on servers.
    rolldownOptions: {
      checks: { moduleLevelDirective: false },
      output: {
        codeSplitting: {
          // What later pages share with these would be files of their own, which compress less well.
          groups: [
            { name: 'first', tags: ['$initial'] },
            {
              name: 'conversation',
              test: /\/(?:conversation-view\.tsx|sdk\/src\/expert\/load-request\.ts)$/,
            },
          ],
        },
      },
    },
  },
  plugins: [bundleServiceWorker(), finishBuild()],
});

/** The service worker is one script, since not all browsers load modules in one. Its name has no hash, so that browsers find the next one. */
function bundleServiceWorker(): Plugin {
  return {
    name: 'bundle-service-worker',
    apply: 'build',
    async generateBundle() {
      const { root, resolve } = this.environment.config;
      const entry = join(root, 'src/notifications/service-worker.js');
      const built = await build({
        root,
        configFile: false,
        publicDir: false,
        logLevel: 'warn',
        resolve: { conditions: resolve.conditions },
        build: { write: false, target: 'es2022', lib: { entry, formats: ['iife'], name: 'serviceWorker' } },
      });
      const [output] = [built].flat();
      if (!output || !('output' in output)) throw new Error('The service worker was not built.');
      this.emitFile({ type: 'asset', fileName: 'service-worker.js', source: output.output[0].code });
    },
  };
}

/** Removes the files of earlier builds, and adds compressed files (.br, .gz) where these are smaller. */
function finishBuild(): Plugin {
  return {
    name: 'finish-build',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const { publicDir } = this.environment.config;
      const current = new Set([...Object.keys(bundle), ...(await filesIn(publicDir))]);
      const files = await filesIn(dir);
      const old = files.filter((file) => !current.has(file));
      await Promise.all(old.map((file) => rm(join(dir, file))));
      await Promise.all([...current].map((file) => compress(join(dir, file))));
    },
  };
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

async function compress(file: string): Promise<void> {
  const content = await readFile(file);
  for (const [extension, method] of [
    ['br', promisify(brotliCompress)],
    ['gz', promisify(gzip)],
  ] as const) {
    const compressed = await method(content);
    if (compressed.length < content.length) await writeFile(`${file}.${extension}`, compressed);
  }
}
