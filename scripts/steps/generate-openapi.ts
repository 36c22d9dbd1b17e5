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

/** What the generators read of an operation. `docs/openapi.yaml` explains the members that begin with `x-`. */
interface Operation {
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly 'x-service'?: string;
  readonly 'x-service-path'?: string;
  readonly 'x-key-in-body'?: string;
  readonly 'x-rate-limit'?: string;
}

interface Call extends Operation {
  readonly method: string;
  readonly path: string;
}

const routePath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');
const isSessionCall = ({ security }: Operation): boolean => security.some((scheme) => 'session' in scheme);

/** The row of a call in the gateway's table. */
function edgeRoute(call: Call): object {
  const kinds = ['consumer', 'provider'].filter((kind) =>
    call.security.some((scheme) => `${kind}Key` in scheme),
  );
  const key = call['x-key-in-body']
    ? { from: 'body', kinds: [call['x-key-in-body']] }
    : kinds.length > 0
      ? { from: 'header', kinds, ...(call.security.some(isEmpty) && { optional: true }) }
      : undefined;
  return {
    method: call.method.toUpperCase(),
    path: routePath(call.path),
    to: isSessionCall(call) ? 'dashboard' : call['x-service'],
    key,
    limit: call['x-rate-limit'],
  };
}

const isEmpty = (scheme: object): boolean => Object.keys(scheme).length === 0;

/** The row of a session call in the dashboard's table of calls that another service handles. */
const serviceCall = (call: Call): object => ({
  method: call.method,
  path: routePath(call.path),
  service: call['x-service'],
  to: routePath(call['x-service-path'] ?? ''),
});

// Aliases are refused: not every reader of the document resolves them.
const document = parse(readFileSync(join(root, 'docs/openapi.yaml'), 'utf8'), { maxAliasCount: 0 });
const paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> = document.paths;
const calls: Call[] = Object.entries(paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
  )
  .filter(({ tags }) => !tags.includes('Pages'));
const unassigned = calls.find((call) => !call['x-service']);
if (unassigned)
  throw new Error(`${unassigned.method} ${unassigned.path} of docs/openapi.yaml needs x-service`);

const routes = JSON.stringify(calls.map(edgeRoute), null, 2);
write(
  'services/gateway/src/generated/routes.ts',
  `import type { EdgeRoute } from '../call/edge-call.ts';\n\nexport const apiRoutes: readonly EdgeRoute[] = ${routes};\n`,
);
const serviceCalls = JSON.stringify(calls.filter((call) => call['x-service-path']).map(serviceCall), null, 2);
write(
  'services/dashboard/src/generated/service-calls.ts',
  `export const serviceCalls = ${serviceCalls} as const;\n`,
);

for (const operation of Object.values(paths).flatMap(Object.values<Operation>))
  for (const member of Object.keys(operation).filter((name) => name.startsWith('x-')))
    delete operation[member as keyof Operation];

// The document as a module of the gateway: at run time it needs neither files nor a YAML parser.
const text = JSON.stringify(JSON.stringify(document));
write('services/gateway/src/generated/openapi.ts', `export const openapi: string = ${text};\n`);

// The shapes of requests and responses, for the services, and for the web app, which imports no service.
const { openapi, info, components } = document;
const nodes = await toTypes(
  { openapi, info, components: { schemas: components.schemas } },
  { immutable: true, defaultNonNullable: false, rootTypes: true, rootTypesNoSchemaPrefix: true },
);
for (const folder of ['packages/contracts/src/api', 'services/dashboard/web/src'])
  write(`${folder}/generated/api.ts`, astToString(nodes));
