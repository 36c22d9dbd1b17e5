import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../local/home.ts';

/** What is used of it here. It needs an older TypeScript than this project, so it is installed in a workspace of its own. */
interface OpenapiTypescript {
  default(document: object, options: object): Promise<object>;
  astToString(nodes: object): string;
}

const { default: toTypes, astToString } = createRequire(join(root, 'test/generators/package.json'))(
  'openapi-typescript',
) as OpenapiTypescript;

function write(file: string, code: string): void {
  const note = '// Made from docs/openapi.yaml by scripts/steps/generate-openapi.ts. Do not edit.';
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), `${note}\n${code}`);
}

// Aliases are refused: not every reader of the document resolves them.
const document = parse(readFileSync(join(root, 'docs/openapi.yaml'), 'utf8'), { maxAliasCount: 0 });

// The document as a module of the gateway: at run time it needs neither files nor a YAML parser.
const text = JSON.stringify(JSON.stringify(document));
write('services/gateway/src/generated/openapi.ts', `export const openapi: string = ${text};\n`);

// The shapes of requests and answers, for the services, and for the web app, which imports no service.
const { openapi, info, components } = document;
const nodes = await toTypes(
  { openapi, info, components: { schemas: components.schemas } },
  { immutable: true, defaultNonNullable: false, rootTypes: true, rootTypesNoSchemaPrefix: true },
);
for (const folder of ['packages/contracts/src/api', 'services/dashboard/web/src'])
  write(`${folder}/generated/api.ts`, astToString(nodes));
