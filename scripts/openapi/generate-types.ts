import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../local/home.ts';
import { apiTypes } from '../steps/build.ts';

/** What is used of it here. It needs an older TypeScript than this project, so it is installed in a workspace of its own. */
interface OpenapiTypescript {
  default(document: object, options: object): Promise<object>;
  astToString(nodes: object): string;
}

const { default: toTypes, astToString } = createRequire(join(root, 'test/generators/package.json'))(
  'openapi-typescript',
) as OpenapiTypescript;

/* The shapes of requests and answers, from docs/openapi.yaml: for the services, and for the web app, which imports no service. */
const { openapi, info, components } = parse(readFileSync(join(root, 'docs/openapi.yaml'), 'utf8'));
const nodes = await toTypes(
  { openapi, info, components: { schemas: components.schemas } },
  { immutable: true, defaultNonNullable: false, rootTypes: true, rootTypesNoSchemaPrefix: true },
);
for (const file of apiTypes) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(
    join(root, file),
    `// Made from docs/openapi.yaml by scripts/openapi/generate-types.ts. Do not edit.\n${astToString(nodes)}`,
  );
}
