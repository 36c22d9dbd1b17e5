const globals = new URL('./globals.mjs', import.meta.url).href;
const classNames = new URL('../../services/dashboard/web/class-names.js', import.meta.url).href;

/**
 * Tests read the sources of every workspace, never what was built from them. Node cannot load a style sheet.
 * @type {import('node:module').ResolveHook}
 */
export async function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') return { url: globals, shortCircuit: true };
  if (specifier.endsWith('.css')) return { url: classNames, shortCircuit: true };
  return await next(specifier, { ...context, conditions: ['relay-source', ...context.conditions] });
}
