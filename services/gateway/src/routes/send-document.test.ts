import { problems } from '@expert-relay/kit/problem';
import { describe, expect, test } from '@jest/globals';
import { openapi } from '../generated/openapi.ts';
import { routes } from './index.ts';

interface Response {
  readonly content?: Readonly<Record<string, { readonly examples?: Readonly<Record<string, Example>> }>>;
}

interface Example {
  readonly $ref?: string;
  readonly value: unknown;
}

const { paths, components, ...document } = JSON.parse(openapi) as {
  paths: Record<string, object>;
  components: { responses: Record<string, Response>; examples: Record<string, Example> };
  'x-every-path': Record<string, Response>;
};

const documented = Object.entries(paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
);
const reachable = routes.map(({ method, path }) => ({ method, path }));

describe('the document and the table of routes list the same calls', () => {
  const pattern = (path: string) =>
    new RegExp(`^${path.replace(/:\w+/g, '\\{\\w+\\}').replace(/\/\*$/, '/.+')}$`);
  const matches = (one: { method: string; path: string }, row: { method: string; path: string }) =>
    one.method === row.method && pattern(row.path).test(one.path);
  // The files of the web app, and paths at which the dashboard responds with 404 or a redirect.
  const undocumented = [
    'GET /auth',
    'GET /auth/dev',
    'GET /dashboard/assets/*',
    'GET /dashboard/icons/*',
    'GET /dashboard/manifest.webmanifest',
    'GET /dashboard/check-browser.js',
    'GET /dashboard/service-worker.js',
    'GET /favicon.ico',
  ];

  test.each(reachable.filter(({ method, path }) => !undocumented.includes(`${method} ${path}`)))(
    '$method $path is documented',
    (row) => {
      expect(documented.some((one) => matches(one, row))).toBe(true);
    },
  );

  test.each(documented)('$method $path is reachable', (one) => {
    expect(reachable.some((row) => matches(one, row))).toBe(true);
  });
});

test('the examples of errors are those of the catalogue', () => {
  const responses = [...Object.values(components.responses), ...Object.values(document['x-every-path'])];
  const examples = new Map(
    responses.flatMap(({ content }) =>
      Object.entries(content?.['application/problem+json']?.examples ?? {}).map(
        ([code, { $ref = '', value }]) => [
          code,
          components.examples[$ref.split('/').at(-1) ?? '']?.value ?? value,
        ],
      ),
    ),
  );
  for (const [code, { status, title }] of Object.entries(problems)) {
    const type = expect.stringMatching(new RegExp(`/docs/errors\\.md#${code}$`));
    expect({ code, ...(examples.get(code) as object) }).toMatchObject({ error: code, status, title, type });
  }
  expect([...examples.keys()].sort()).toEqual(Object.keys(problems).sort());
});
