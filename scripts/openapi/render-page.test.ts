import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { ApiDocument } from './api-document.ts';
import { Html, html, inline, prose } from './html.ts';
import { renderPage } from './render-page.ts';

const apiDocument: ApiDocument = parse(readFileSync('docs/openapi.yaml', 'utf8'));

describe('the page', () => {
  const text = renderPage(apiDocument);

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
