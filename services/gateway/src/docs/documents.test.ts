import { problems } from '@expert-relay/kit/problem';
import { describe, expect, test } from '@jest/globals';
import { routes } from '../routes/index.ts';
import { apiDocument, type Example, type Response, resolve } from './api-document.ts';
import { documents } from './documents.ts';
import { Html, html } from './html.ts';
import { inline, prose } from './prose.ts';

const documented = Object.entries(apiDocument.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
);
const reachable = routes.map(({ method, path }) => ({ method, path }));

describe('the document and the table of the edge list the same calls', () => {
  const pattern = (path: string) =>
    new RegExp(`^${path.replace(/:\w+/g, '\\{\\w+\\}').replace(/\/\*$/, '/.+')}$`);
  const matches = (one: { method: string; path: string }, row: { method: string; path: string }) =>
    one.method === row.method && pattern(row.path).test(one.path);
  // The files of the web app, and a path at which the dashboard answers 404 or a redirect.
  const undocumented = [
    'GET /auth',
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

test('the examples of errors report what the catalogue has', () => {
  const responses = [
    ...Object.values(apiDocument.components.responses ?? {}),
    ...Object.values(apiDocument['x-every-path']),
  ] as Response[];
  const examples = new Map(
    responses.flatMap(({ content }) =>
      Object.entries(content?.['application/problem+json']?.examples ?? {}).map(([code, example]) => [
        code,
        resolve<Example>(apiDocument, example).value,
      ]),
    ),
  );
  for (const [code, { status, title }] of Object.entries(problems)) {
    const type = expect.stringMatching(new RegExp(`/docs/errors\\.md#${code}$`));
    expect({ code, ...(examples.get(code) as object) }).toMatchObject({ error: code, status, title, type });
  }
  expect([...examples.keys()].sort()).toEqual(Object.keys(problems).sort());
});

describe('the page', () => {
  const { text } = documents['/docs'];

  test('shows each variant of a body, and the members of the objects in it', () => {
    const [, send = ''] = /<details id="sendMessage">(.*?)<h4>Answers/s.exec(text) ?? [];
    expect(send.match(/<h5>(Either|Or):/g)).toEqual(['<h5>Either:', '<h5>Or:']);
    expect(send.match(/<dt><code>signature<\/code>/g)).toHaveLength(1);
    expect(send.match(/<dt><code>plaintext<\/code> <small>string(, optional)?/g)).toEqual([
      '<dt><code>plaintext</code> <small>string, optional',
      '<dt><code>plaintext</code> <small>string',
    ]);
    expect(send).toContain('<dt><code>ephemeralPublicKey</code>');
  });

  test('leads to the page about events', () => {
    expect(text).toMatch(/<a href="https:[^"]+\/docs\/events\.md">Realtime events from the hub<\/a>/);
  });

  test('leads from the errors of a call to what they mean', () => {
    const links = [...text.matchAll(/<a href="#([a-z_]+)">/g)].map(([, code]) => code);
    expect(new Set(links).size).toBeGreaterThan(20);
    for (const code of links) expect(text).toContain(`<dt id="${code}">`);
  });

  test('shows every call with its summary and its example', () => {
    for (const [path, methods] of Object.entries(apiDocument.paths)) {
      for (const operation of Object.values(methods)) {
        expect(text).toContain(`<details id="${operation.operationId}">`);
        expect(text).toContain(html`<code>${path}</code>`.text);
        expect(text).toContain(inline(operation.summary).text);
      }
    }
    expect(text).toContain(
      '&quot;question&quot;: &quot;Which of the two migrations is safe to run first?&quot;',
    );
  });

  test('has neither scripts nor styles inside, and shows nothing half-made', () => {
    expect(text).not.toMatch(/<script|<style|style=|\son\w+=/);
    expect(text).not.toMatch(/undefined|\[object Object\]|NaN/);
  });
});

test('what is filled into HTML is escaped, HTML itself and lists of it are not', () => {
  const evil = `<img src=x onerror="alert('&')">`;
  expect(html`<p>${evil}</p>`.text).toBe(
    '<p>&lt;img src=x onerror=&quot;alert(&#39;&amp;&#39;)&quot;&gt;</p>',
  );
  expect(html`${[new Html('<b>1</b>'), 2, undefined, false, '<']}`.text).toBe('<b>1</b>2&lt;');
});

test('prose knows paragraphs, code, bold and emphasis, and escapes the rest', () => {
  expect(prose('One `<a>` **two**.\n\n*Three* /auth/* and /docs/*.').text).toBe(
    '<p>One <code>&lt;a&gt;</code> <strong>two</strong>.</p><p><em>Three</em> /auth/* and /docs/*.</p>',
  );
});
