import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../local/home.ts';

const output = join(root, 'services/gateway/src/generated/openapi.ts');

/*
 * docs/openapi.yaml as a module of the gateway, which serves it, so that the service needs neither the file nor a
 * YAML parser at run time. Aliases are refused: not every reader of the file resolves them.
 */
const document = parse(readFileSync(join(root, 'docs/openapi.yaml'), 'utf8'), { maxAliasCount: 0 });
mkdirSync(dirname(output), { recursive: true });
writeFileSync(
  output,
  `// Made from docs/openapi.yaml by scripts/openapi/generate.ts. Do not edit.\nexport const openapi: string = ${JSON.stringify(JSON.stringify(document))};\n`,
);
