import { describe, expect, test } from '@jest/globals';
import { routes } from '../routes/index.ts';
import { apiDocument } from './api-document.ts';
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
  // What the edge lets through to the dashboard, which answers 404 or a redirect there.
  const undocumented = ['GET /auth', 'GET /dashboard/assets/*'];

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

describe('the page', () => {
  const { text } = documents['/docs'];

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
