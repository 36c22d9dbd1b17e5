import { type ApiDocument, type Response, resolve } from './api-document.ts';
import { type Html, html } from './html.ts';
import { prose } from './prose.ts';
import { showOperation } from './show-operation.ts';

/** The whole document as one page, readable without scripts. */
export function showPage(document: ApiDocument): string {
  const { info, tags } = document;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} API</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<header><h1>${info.title} API</h1><p>Version ${info.version} · <a href="/api/openapi.json">OpenAPI document</a></p></header>
<main>
${prose(info.description)}
${tags.map((tag) => showTag(document, tag))}
${showProblems(document)}
</main>
</body>
</html>
`.text;
}

function showTag(document: ApiDocument, { name, description }: ApiDocument['tags'][number]): Html {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(name))
      .map(([method, operation]) => showOperation(document, method, path, operation)),
  );
  return html`<section><h2>${name}</h2>${prose(description)}${operations}</section>`;
}

/** Every error once, with its codes, instead of at each call. */
function showProblems(document: ApiDocument): Html {
  const responses = Object.values(document.components.responses ?? {})
    .map((response) => resolve<Response>(document, response))
    .map(({ description, content }) => ({
      description,
      example: content?.['application/problem+json']?.example,
    }))
    .filter(({ example }) => example !== undefined);
  return html`<section><h2>Errors</h2><dl>${responses.map(({ description, example }) => {
    const { status, error } = example as { status: number; error: string };
    return html`<dt>${status} <code>${error}</code></dt><dd>${description}</dd>`;
  })}</dl></section>`;
}
