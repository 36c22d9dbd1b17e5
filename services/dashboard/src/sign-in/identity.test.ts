import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { captureLogs, eventually } from '@expert-relay/testkit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createAllowedUsers, createIsAllowed } from './allowed-users.ts';
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

test.each([
  [
    ['experts', 'on call', ' x', 'x ', 'x\0', 5, null, 'x'.repeat(256), ''],
    ['experts', 'on call'],
  ],
  ['experts', undefined],
  [undefined, undefined],
])('the groups %j are %j', (groups, expected) => {
  expect(parse({ provider: 'oidc', groups }).groups).toEqual(expected);
});

test('there are at most 500 groups', () => {
  const groups = Array.from({ length: 10_000 }, (_, at) => `g${at}`);
  expect(parse({ groups }).groups).toHaveLength(500);
});

describe('the file with allowed users', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'relay-allowed-'));
    file = join(folder, 'users');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const open = async () => {
    const logs = captureLogs();
    const allowed = createAllowedUsers({
      allowedUsers: ['@corp.test'],
      file,
      devLogin: false,
      readIntervalMs: 10,
      log: logs.logOf('dashboard'),
    });
    await allowed.start?.();
    const isAllowed = (address: string) =>
      allowed.isAllowed(parse({ login: undefined, verifiedEmails: [address] }));
    return { allowed, isAllowed, logs };
  };

  test('is read again without a restart, and adds to the setting', async () => {
    writeFileSync(file, '# Experts\nada@a.test, grace@a.test\n\n@b.test # all of b\n');
    const { allowed, isAllowed } = await open();
    expect(['x@corp.test', 'ada@a.test', 'grace@a.test', 'x@b.test'].map(isAllowed)).toEqual([
      ...[true, true, true, true],
    ]);
    writeFileSync(file, 'grace@a.test\n');
    await eventually('the file was read again', () => !isAllowed('ada@a.test'));
    expect(['x@corp.test', 'grace@a.test', 'x@b.test'].map(isAllowed)).toEqual([true, true, false]);
    await allowed.stop?.();
  });

  test.each([
    ['has a line that is no entry', () => writeFileSync(file, 'ada@a.test\nada\n'), 'entry 2 of'],
    ['is gone', () => rmSync(file), 'ENOENT'],
  ])('changes nothing when it %s, which is logged once', async (_what, change, reason) => {
    writeFileSync(file, 'ada@a.test\n');
    const { allowed, isAllowed, logs } = await open();
    change();
    const failures = () =>
      logs.lines.filter(({ msg }) => msg === 'the list of allowed users stays as it was');
    await eventually('a failure', () => failures().length === 1);
    expect(failures()[0]?.reason).toContain(reason);
    expect(isAllowed('ada@a.test')).toBe(true);
    expect(JSON.stringify(failures())).not.toContain('a.test');
    await allowed.stop?.();
  });

  test('stops the start when it is missing', async () => {
    await expect(open()).rejects.toThrow('RELAY_ALLOWED_USERS_FILE cannot be used: ENOENT');
  });
});

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
    ['OIDC:Group/Experts', { provider: 'oidc', groups: ['a', 'Experts'] } as object, true],
    ['oidc:group/Experts', { provider: 'oidc', groups: ['a', 'experts', 'EXPERTS'] } as object, false],
    ['oidc:group/experts', { provider: 'oidc', groups: ['experts2', 'oidc:group/experts'] } as object, false],
    ['oidc:group/Domain Users', { provider: 'oidc', groups: ['Domain Users'] } as object, true],
    ['oidc:group/domain', { provider: 'oidc', groups: ['domain users'] } as object, false],
    ['oidc:group/experts', { provider: 'google', groups: ['experts'] } as object, false],
    ['oidc:group/x@corp.test', { verifiedEmails: ['oidc:group/x@corp.test'] }, false],
    ['*', {}, true],
  ])('%s and %j: %p', (entry, change, expected) => {
    expect(isAllowed(entry, change)).toBe(expected);
  });
});
