import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../local/home.ts';
import { renderPage } from './render-page.ts';

const folder = join(root, 'services/gateway/src/generated');

/*
 * The documents that the gateway serves, as a module of it, made from docs/openapi.yaml: at run time it needs neither
 * files nor a YAML parser. Aliases are refused: not every reader of the document resolves them.
 */
const document = parse(readFileSync(join(root, 'docs/openapi.yaml'), 'utf8'), { maxAliasCount: 0 });
const documents = {
  '/api/openapi.json': { type: 'application/json; charset=utf-8', text: JSON.stringify(document) },
  '/docs': { type: 'text/html; charset=utf-8', text: renderPage(document) },
  '/docs/style.css': {
    type: 'text/css; charset=utf-8',
    text: readFileSync(join(root, 'scripts/openapi/page.css'), 'utf8'),
  },
};
const paths = Object.keys(documents)
  .map((path) => `'${path}'`)
  .join(' | ');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
writeFileSync(
  join(folder, 'documents.ts'),
  `// Made from docs/openapi.yaml by scripts/openapi/generate.ts. Do not edit.\nexport const documents: Readonly<Record<${paths}, { readonly type: string; readonly text: string }>> = ${JSON.stringify(documents)};\n`,
);
