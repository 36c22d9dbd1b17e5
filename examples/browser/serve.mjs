// Serves a page that asks from a browser, end-to-end encrypted. Run both, and open the address that the second one prints:
// npm start    node examples/browser/serve.mjs
// RELAY_URL, as npm start prints it, is filled in. A relay that is not started by `npm start` must allow the page: RELAY_CORS_ORIGINS=http://127.0.0.1:8099
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const { outputFiles } = await build({
  entryPoints: [here('page.mjs')],
  bundle: true,
  format: 'esm',
  // Uses the SDK's sources in this checkout; an installed SDK needs no condition.
  conditions: ['relay-source'],
  minify: true,
  write: false,
});
const { RELAY_URL: relay } = process.env;
const page = await readFile(here('index.html'), 'utf8');
const files = {
  '/': ['text/html; charset=utf-8', page.replace('RELAY_URL', relay ? new URL(relay).origin : '')],
  '/page.js': ['text/javascript; charset=utf-8', outputFiles[0].contents],
};

const server = createServer(({ url }, response) => {
  const [type, content] = files[url] ?? ['text/plain', 'There is nothing here.'];
  response.writeHead(url in files ? 200 : 404, { 'content-type': type }).end(content);
});
server.listen(Number(process.env.PORT ?? 8099), '127.0.0.1', () => {
  console.error(`Open http://127.0.0.1:${server.address().port}/`);
});
