import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../local/home.ts';

const output = join(root, 'services/gateway/src/generated/openapi.ts');

/*
 * docs/openapi.yaml as a module of the gateway, which serves it: so the service needs neither the file nor a
 * YAML parser where it runs. Aliases are written out, since JSON has none.
 */
const document = parse(readFileSync(join(root, 'docs/openapi.yaml'), 'utf8'), { maxAliasCount: -1 });
const published = Object.fromEntries(Object.entries(document).filter(([name]) => !name.startsWith('x-')));
mkdirSync(dirname(output), { recursive: true });
writeFileSync(
  output,
  `// Made from docs/openapi.yaml by scripts/openapi/generate.ts. Do not edit.\nexport const openapi: string = ${JSON.stringify(JSON.stringify(published))};\n`,
);
