import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { bareApp, createHttpServer, type HttpServer, handleErrors } from '@expert-relay/kit/http';
import { StartupError } from '@expert-relay/kit/lifecycle';
import { createLog } from '@expert-relay/kit/log';
import { sendError } from '@expert-relay/kit/pages';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sendWebFile } from '../routes/send-web-file.ts';
import { showApp } from '../routes/show-app.ts';
import { readWebApp } from './read-web-app.ts';

const script = 'export const text = "ready";\n'.repeat(50);
const page = '<!doctype html><title>Expert Relay</title>';

let folder: string;
let server: HttpServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'relay-web-'));
  const built = join(folder, 'built');
  for (const name of ['assets/deep', 'icons']) mkdirSync(join(built, name), { recursive: true });
  const files: Record<string, string | Buffer> = {
    '../outside.js': 'secret',
    'index.html': page,
    'index.html.gz': gzipSync(page),
    'assets/index-a1.js': script,
    'assets/index-a1.js.br': brotliCompressSync(script),
    'assets/index-a1.js.gz': gzipSync(script),
    'assets/index-b2.css': '.a{}',
    'assets/deep/font-c3.woff2': 'font',
    'icons/icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'icons/icon-180.png': 'png',
    'manifest.webmanifest': '{}',
    'service-worker.js': 'self.x = 1;',
    'check-browser.js': 'self.x = 2;',
    'favicon.ico': 'ico',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(built, name), content);
  symlinkSync('../outside.js', join(built, 'assets/link.js'));

  const app = bareApp();
  const webApp = readWebApp(built);
  app.use(sendWebFile(webApp));
  app.get('/dashboard{/*page}', showApp({ page: webApp.page, hubUrl: 'https://hub.example:8443/events' }));
  app.use(handleErrors(createLog('test', { level: 'silent' }), { send: sendError }));
  server = createHttpServer({ handler: app, host: '127.0.0.1', port: 0 });
  await server.start?.();
  // Files that are removed or added later change nothing.
  rmSync(join(built, 'assets/deep'), { recursive: true });
  writeFileSync(join(built, 'assets/late.js'), 'late');
});

afterAll(async () => {
  await server.stop?.();
  rmSync(folder, { recursive: true });
});

interface HttpResponse {
  status: number | undefined;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** Not `fetch`, which would normalize the path and decompress the response. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<HttpResponse> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const call = httpRequest({ hostname, port, path, method, headers, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.once('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(pieces) }),
      );
    });
    call.once('error', reject);
    call.end();
  });
}

const asset = '/dashboard/assets/index-a1.js';

describe('a file of the web app', () => {
  test('whose name contains a hash is cached permanently', async () => {
    const { status, headers, body } = await get(asset);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': String(script.length),
      vary: 'accept-encoding',
    });
    expect(headers).not.toHaveProperty('content-encoding');
    expect(headers).not.toHaveProperty('set-cookie');
    expect(body.toString()).toBe(script);
  });

  test.each([
    ['/dashboard/assets/index-b2.css', 'text/css; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/dashboard/assets/deep/font-c3.woff2', 'font/woff2', 'public, max-age=31536000, immutable'],
    ['/dashboard/icons/icon.svg', 'image/svg+xml', 'public, max-age=86400'],
    ['/dashboard/icons/icon-180.png', 'image/png', 'public, max-age=86400'],
    [
      '/favicon.ico',
      expect.stringMatching(/^image\/(x-icon|vnd\.microsoft\.icon)$/),
      'public, max-age=86400',
    ],
    ['/dashboard/manifest.webmanifest', expect.stringMatching(/^application\/manifest\+json/), 'no-cache'],
    ['/dashboard/service-worker.js', 'text/javascript; charset=utf-8', 'no-cache'],
    ['/dashboard/check-browser.js', 'text/javascript; charset=utf-8', 'no-cache'],
  ])('%s is %s, %s', async (path, type, cacheControl) => {
    const { status, headers, body } = await get(path, { accept: '*/*' });
    expect({ status, type: headers['content-type'], cacheControl: headers['cache-control'] }).toEqual({
      status: 200,
      type,
      cacheControl,
    });
    // It is not compressed in any form.
    expect(headers).not.toHaveProperty('vary');
    expect(body.length).toBeGreaterThan(0);
  });

  test.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['deflate, zstd', undefined],
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP, BR', 'br'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br; q=0, gzip', 'gzip'],
    ['br;q=0, gzip;q=0.000', undefined],
    ['br;q=nonsense, gzip;q=0.1', 'gzip'],
    ['*', 'br'],
    ['*;q=0.1, br;q=0', 'gzip'],
    ['*;q=0', undefined],
    ['identity;q=1, br;q=0.5', undefined],
    ['identity;q=0.5, br', 'br'],
    ['identity;q=0, *', 'br'],
  ])('with Accept-Encoding: %s is sent as %s', async (accepted, encoding) => {
    const { status, headers, body } = await get(
      asset,
      accepted === undefined ? {} : { 'accept-encoding': accepted },
    );
    expect(status).toBe(200);
    expect(headers['content-encoding']).toBe(encoding);
    expect(headers).toMatchObject({ vary: 'accept-encoding', 'content-length': String(body.length) });
    const sent = { br: brotliCompressSync(script), gzip: gzipSync(script) }[encoding ?? ''] ?? script;
    expect(body.equals(Buffer.from(sent))).toBe(true);
  });

  test('that compression does not make smaller is sent uncompressed', async () => {
    const { headers, body } = await get('/dashboard/assets/index-b2.css', { 'accept-encoding': 'br, gzip' });
    expect(headers).not.toHaveProperty('content-encoding');
    expect(body.toString()).toBe('.a{}');
  });

  test.each(['/dashboard/service-worker.js', '/dashboard/manifest.webmanifest', '/dashboard/icons/icon.svg'])(
    '%s is not sent again while it is the same',
    async (path) => {
      const { etag = '' } = (await get(path)).headers;
      const again = await get(path, { 'if-none-match': etag });
      expect(again.status).toBe(304);
      expect(again.body.length).toBe(0);
      expect(again.headers).toMatchObject({ etag, 'cache-control': expect.any(String) });
      expect((await get(path, { 'if-none-match': 'W/"another"' })).status).toBe(200);
    },
  );

  test('has the same headers for HEAD', async () => {
    const { status, headers, body } = await get(asset, { 'accept-encoding': 'gzip' }, 'HEAD');
    expect({ status, length: body.length }).toEqual({ status: 200, length: 0 });
    expect(headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-length': String(gzipSync(script).length),
      'content-type': 'text/javascript; charset=utf-8',
    });
  });

  test.each([
    '/dashboard/assets/index-00.js',
    '/dashboard/assets/late.js',
    '/dashboard/assets/link.js',
    '/dashboard/assets/index-a1.js.br',
    '/dashboard/assets/index.html',
    '/dashboard/assets/',
    '/dashboard/assets',
    '/dashboard/assets/deep',
    '/dashboard/assets/deep/',
    '/dashboard/icons/',
    '/dashboard/icons',
    '/dashboard/assets//index-a1.js',
    '/dashboard/assets/../index.html',
    '/dashboard/assets/../../outside.js',
    '/dashboard/assets/..%2findex.html',
    '/dashboard/assets/..%2f..%2foutside.js',
    '/dashboard/assets/%2e%2e/index.html',
    '/dashboard/assets/..%5c..%5coutside.js',
    '/dashboard/assets/index-a1.js%00',
    '/dashboard/assets/%00',
    '/dashboard/assets/%',
    '/dashboard/assets/%E0%A4%A',
    '/dashboard/assets/__proto__',
    '/dashboard/assets/constructor',
    '/dashboard/icons/../assets/index-a1.js',
  ])('is not at %s, even if the client accepts HTML', async (path) => {
    for (const accept of ['*/*', 'text/html,application/xhtml+xml,*/*;q=0.8']) {
      const { status, headers, body } = await get(path, { accept });
      expect(status).toBe(404);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-type': 'application/problem+json',
      });
      expect(JSON.parse(body.toString()).error).toBe('not_found');
    }
  });
});

describe('every other path of the dashboard', () => {
  test.each(['/dashboard', '/dashboard/requests', '/dashboard/requests/a/b', '/dashboard/index.html'])(
    '%s is the page',
    async (path) => {
      const { status, headers, body } = await get(path, { 'accept-encoding': 'gzip' });
      expect({ status, text: body.toString() }).toEqual({ status: 200, text: page });
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self'; " +
          "connect-src 'self' https://hub.example:8443; manifest-src 'self'; worker-src 'self'; " +
          "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
          "require-trusted-types-for 'script'; trusted-types expert-relay",
      });
      expect(headers).not.toHaveProperty('etag');
    },
  );
});

test('without a built web app the start fails with a message that says what to do', () => {
  const empty = mkdtempSync(join(tmpdir(), 'relay-no-web-'));
  try {
    expect(() => readWebApp(empty)).toThrow(StartupError);
    expect(() => readWebApp(join(empty, 'missing'))).toThrow(
      `there is no ${join(empty, 'missing/index.html')}. Run "npm run build", or set RELAY_WEB_FOLDER`,
    );
  } finally {
    rmSync(empty, { recursive: true });
  }
});
