import { describe, expect, test } from '@jest/globals';
import { createIsAllowed } from './allowed-users.ts';
import { parseIdentity, type StatedIdentity } from './identity.ts';

const stated: StatedIdentity = {
  provider: 'github',
  subject: '7',
  name: 'Mike',
  label: 'mike',
  login: 'mike',
  email: 'mike@corp.test',
  verifiedEmails: ['mike@corp.test'],
};
const parse = (change: Partial<StatedIdentity>) => parseIdentity({ ...stated, ...change });

describe('a text that is shown', () => {
  test.each([
    ['stays as it is', 'Zoë 😀', 'Zoë 😀'],
    ['loses control characters', 'a\0b\u001b', 'ab'],
    ['loses halves of surrogate pairs', 'a\ud83d', 'a'],
    ['is not cut within a character', `${'x'.repeat(319)}😀`, 'x'.repeat(319)],
    ['is cut', 'x'.repeat(2_000_000), 'x'.repeat(320)],
    ['is replaced when it is no text', 5, 'mike'],
    ['is replaced when it is missing', undefined, 'mike'],
    ['is replaced when it has no visible characters', ' \0 ', 'mike'],
  ])('%s', (_what, name, shown) => {
    expect(parse({ name }).name).toBe(shown);
  });

  test('is the id when there is no label either', () => {
    expect(parse({ name: null, label: [] })).toMatchObject({ name: '7', label: '7' });
  });
});

describe('an address', () => {
  test.each([
    null,
    5,
    '',
    'mike',
    'github:mike',
    'a@b@corp.test',
    'a b@corp.test',
    '@corp.test',
    'mike@',
    'm\0@corp.test',
  ])('is not %p', (address) => {
    const { email, verifiedEmails } = parse({ email: address, verifiedEmails: [address, 'x@y.test'] });
    expect(email).toBeUndefined();
    expect(verifiedEmails).toEqual(['x@y.test']);
  });

  test('is one of at most 100', () => {
    const verifiedEmails = Array.from({ length: 1_000 }, (_, at) => `a${at}@corp.test`);
    expect(parse({ verifiedEmails }).verifiedEmails).toEqual(verifiedEmails.slice(0, 100));
  });
});

test.each([{ login: '' }, { login: 5 }, { login: 'a\0' }, { subject: '' }, { subject: 'x'.repeat(256) }])(
  'an account is refused with %p, and the error names only the member',
  (change) => {
    const [member = ''] = Object.keys(change);
    expect(() => parse(change)).toThrow(new Error(`The github account has an unusable ${member}.`));
  },
);

describe('the list of allowed users', () => {
  const isAllowed = (entry: string, change: Partial<StatedIdentity>) =>
    createIsAllowed({ allowedUsers: [entry], devLogin: false })({
      ...parse({ login: undefined, verifiedEmails: [] }),
      // Not checked by `parseIdentity`: the list must not depend on it.
      ...(change as object),
    });

  test.each([
    ['Mike@Corp.Test', { verifiedEmails: ['mIKE@corp.test'] }, true],
    ['mike@corp.test', { verifiedEmails: ['mi\u212ae@corp.test'] }, false],
    ['@Corp.Test', { verifiedEmails: ['x@corp.TEST'] }, true],
    ['@corp.test', { verifiedEmails: ['x@sub.corp.test'] }, false],
    ['github:Octocat', { login: 'octoCAT' }, true],
    ['github:octocat', { verifiedEmails: ['github:octocat'] }, false],
    ['github:octocat', { provider: 'google', login: 'octocat' } as object, false],
    ['octocat@corp.test', { login: 'octocat@corp.test' }, false],
    ['*', {}, true],
  ])('%s and %j: %p', (entry, change, expected) => {
    expect(isAllowed(entry, change)).toBe(expected);
  });
});
