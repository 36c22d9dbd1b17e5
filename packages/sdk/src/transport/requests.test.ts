import { expect, test } from '@jest/globals';
import type { Api } from './api.ts';
import { listRequests } from './requests.ts';

const request = {
  requestId: 'r1',
  refCode: 'HS-12345678',
  status: 'pending',
  responseCount: 0,
  messageCount: 0,
  createdAt: '2026-11-21T00:00:00.000Z',
  expiresAt: '2026-11-24T00:00:00.000Z',
};

/** The number of pages that are read of a list without an end. */
async function pagesOf(question: string, perPage: number): Promise<number> {
  let pages = 0;
  const get: Api['get'] = async (_path, read) => {
    pages += 1;
    const requests = Array.from({ length: perPage }, () => ({ ...request, question }));
    return read({ requests, next: `page-${pages}` }, new Headers());
  };
  await expect(listRequests({ get } as Api)).rejects.toMatchObject({
    reason: 'unexpected_answer',
    message: expect.stringContaining('expected a shorter list'),
  });
  return pages;
}

test('reading a list without an end stops after a certain length or number of pages', async () => {
  expect(await pagesOf('x'.repeat(2_000), 200)).toBeGreaterThan(300);
  expect(await pagesOf('x'.repeat(7 * 2 ** 20), 1)).toBeLessThan(30);
  expect(await pagesOf('', 0)).toBeLessThan(2_001);
});

test('a limit ends the list, and is not asked for in more pages than it needs', async () => {
  const paths: string[] = [];
  const get: Api['get'] = async (path, read) => {
    paths.push(path);
    const requests = [1, 2].map((at) => ({ ...request, question: `${paths.length}.${at}` }));
    return read({ requests, next: `page-${paths.length}` }, new Headers());
  };
  const listed = await listRequests({ get } as Api, { limit: 3 });
  expect(listed.map(({ question }) => question)).toEqual(['1.1', '1.2', '2.1']);
  expect(paths).toEqual(['/api/v1/requests?limit=3', '/api/v1/requests?limit=3&after=page-1']);
  await expect(listRequests({ get } as Api, { limit: 0 })).rejects.toMatchObject({ code: 'invalid_input' });
});
