import { type ApiDocument, type Response, resolve } from './api-document.ts';
import { type Html, html, inline, prose } from './html.ts';
import { renderOperation } from './render-operation.ts';

/** The whole document as one page, readable without scripts. */
export function renderPage(document: ApiDocument): string {
  const { info, tags, externalDocs } = document;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} API</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<header><h1>${info.title} API</h1><p>Version ${info.version} · <a href="/api/openapi.json">OpenAPI document</a> · <a href="${externalDocs.url}">${externalDocs.description}</a></p></header>
<main>
${prose(info.description)}
${tags.map((tag) => renderTag(document, tag))}
${renderProblems(document)}
</main>
</body>
</html>
`.text;
}

function renderTag(document: ApiDocument, { name, description }: ApiDocument['tags'][number]): Html {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(name))
      .map(([method, operation]) => renderOperation(document, method, path, operation)),
  );
  return html`<section><h2>${name}</h2>${prose(description)}${operations}</section>`;
}

interface Problem {
  readonly status: number;
  readonly error: string;
  readonly title: string;
  readonly detail: string;
}

/** Every error once, instead of at each call. */
function renderProblems(document: ApiDocument): Html {
  const responses = [
    ...Object.values(document.components.responses ?? {}).map((one) => resolve<Response>(document, one)),
    ...Object.values(document['x-every-path']),
  ];
  const problems = new Map<string, Problem>();
  for (const { content } of responses) {
    for (const [code, example] of Object.entries(content?.['application/problem+json']?.examples ?? {})) {
      problems.set(code, resolve<{ value: Problem }>(document, example).value);
    }
  }
  const sorted = [...problems.values()].sort((one, other) => one.status - other.status);
  return html`<section><h2>Errors</h2><dl>${sorted.map(
    ({ status, error, title, detail }) =>
      html`<dt id="${error}">${status} <code>${error}</code> ${title}</dt><dd>${inline(detail)}</dd>`,
  )}</dl></section>`;
}
