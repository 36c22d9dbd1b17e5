import { describe, expect, test } from '@jest/globals';
import { makeRoot } from './crypto/index.ts';
import { createExpert } from './expert/index.ts';
import { createRelay } from './index.ts';

/* The addresses of a relay and its hub. */

const clients: readonly [string, (options: { url: string; hubUrl?: string }) => unknown][] = [
  ['an agent', (options) => createRelay({ ...options, apiKey: 'hs_a' })],
  ['an expert', (options) => createExpert({ ...options, apiKey: 'hs_prov_a', root: makeRoot() })],
];

describe.each(clients)('%s', (_who, create) => {
  test.each([
    'https://ada:s3cret@relay.example',
    'https://s3cret@relay.example',
    'https://:s3cret@relay.example',
    'ftp://relay.example/s3cret',
    's3cret',
    'https://',
  ])('refuses %s, and does not repeat it', (url) => {
    for (const options of [{ url }, { url: 'https://relay.example', hubUrl: url }]) {
      const refused = expect.objectContaining({
        code: 'invalid_input',
        message: expect.stringMatching(/^(?!.*s3cret).* without a user name and a password\.$/),
      });
      expect(() => create(options)).toThrow(refused);
    }
  });
});
