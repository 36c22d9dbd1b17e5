import { describe, expect, test } from '@jest/globals';
import { readTree, type Tree } from './tree.ts';

const requiredFiles = ['src/main.ts', 'src/config.ts', 'src/service.ts'];
const withoutRoutes = ['expiry-worker'];
// Verb-noun; `index.ts` lists the routes.
const routeName = /^([a-z]+(-[a-z]+)+|index|whoami)(\.test)?\.ts$/;

function wrongLayouts(tree: Tree): string[] {
  const paths = [...tree.keys()];
  const services = new Set(paths.flatMap((path) => /^services\/([^/]+)\//.exec(path)?.[1] ?? []));
  return [...services].flatMap((service) => {
    const problems = requiredFiles
      .filter((file) => !tree.has(`services/${service}/${file}`))
      .map((file) => `services/${service} has no ${file}. All services have the same layout.`);
    const folder = `services/${service}/src/routes/`;
    const routes = paths.filter((path) => path.startsWith(folder)).map((path) => path.slice(folder.length));
    if (routes.length === 0 && !withoutRoutes.includes(service)) {
      problems.push(`services/${service} has no src/routes/. Each endpoint has its own file there.`);
    }
    const misnamed = routes.filter((route) => !routeName.test(route));
    return [
      ...problems,
      ...misnamed.map((route) => `${folder}${route}: a route is named verb-noun, such as send-message.ts.`),
    ];
  });
}

describe('the layout of services', () => {
  test('a missing file or folder and a wrong name of a route are reported', () => {
    const tree = new Map([
      ['services/hub/src/main.ts', ''],
      ['services/hub/src/config.ts', ''],
      ['services/hub/src/routes/stream.ts', ''],
      ['services/hub/src/routes/stream-events.ts', ''],
      ['services/expiry-worker/src/main.ts', ''],
    ]);
    expect(wrongLayouts(tree)).toEqual([
      expect.stringContaining('services/hub has no src/service.ts'),
      expect.stringContaining('services/hub/src/routes/stream.ts: a route is named verb-noun'),
      expect.stringContaining('services/expiry-worker has no src/config.ts'),
      expect.stringContaining('services/expiry-worker has no src/service.ts'),
    ]);
    tree.delete('services/hub/src/routes/stream.ts');
    tree.delete('services/hub/src/routes/stream-events.ts');
    expect(wrongLayouts(tree)).toContainEqual(expect.stringContaining('services/hub has no src/routes/'));
  });

  test('is the same for all services', () => {
    expect(wrongLayouts(readTree())).toEqual([]);
  });
});
