import { describe, expect, test } from '@jest/globals';
import { readTree, type Tree } from './tree.ts';

const everywhere = ['src/main.ts', 'src/config.ts', 'src/service.ts'];
const withoutRoutes = ['expiry-worker'];
// Verb-noun; `index.ts` lists the routes.
const routeName = /^([a-z]+(-[a-z]+)+|index|whoami)(\.test)?\.ts$/;

function missingRooms(tree: Tree): string[] {
  const paths = [...tree.keys()];
  const services = new Set(paths.flatMap((path) => /^services\/([^/]+)\//.exec(path)?.[1] ?? []));
  return [...services].flatMap((service) => {
    const rooms = everywhere
      .filter((room) => !tree.has(`services/${service}/${room}`))
      .map(
        (room) =>
          `services/${service} has no ${room}. Services have the same rooms: knowing one is knowing all.`,
      );
    const folder = `services/${service}/src/routes/`;
    const routes = paths.filter((path) => path.startsWith(folder)).map((path) => path.slice(folder.length));
    if (routes.length === 0 && !withoutRoutes.includes(service)) {
      rooms.push(
        `services/${service} has no src/routes/. Each endpoint has a file there, named for what it does.`,
      );
    }
    const misnamed = routes.filter((route) => !routeName.test(route));
    return [
      ...rooms,
      ...misnamed.map((route) => `${folder}${route}: a route is named verb-noun, such as send-message.ts.`),
    ];
  });
}

describe('the rooms of a service', () => {
  test('are the same everywhere', () => {
    const tree = new Map([
      ['services/hub/src/main.ts', ''],
      ['services/hub/src/config.ts', ''],
      ['services/hub/src/routes/stream.ts', ''],
      ['services/hub/src/routes/stream-events.ts', ''],
      ['services/expiry-worker/src/main.ts', ''],
    ]);
    expect(missingRooms(tree)).toEqual([
      expect.stringContaining('services/hub has no src/service.ts'),
      expect.stringContaining('services/hub/src/routes/stream.ts: a route is named verb-noun'),
      expect.stringContaining('services/expiry-worker has no src/config.ts'),
      expect.stringContaining('services/expiry-worker has no src/service.ts'),
    ]);
    tree.delete('services/hub/src/routes/stream.ts');
    tree.delete('services/hub/src/routes/stream-events.ts');
    expect(missingRooms(tree)).toContainEqual(expect.stringContaining('services/hub has no src/routes/'));
  });

  test('are there in this repo', () => {
    expect(missingRooms(readTree())).toEqual([]);
  });
});
