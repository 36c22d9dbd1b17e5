import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { makeRecoveryCode, makeRoot, openExpertKeys, openVault, sealVault } from '@expert-relay/sdk/crypto';
import { signInDev } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createPageStorage } from '../storage/storage.ts';
import { createExpertKey, type ExpertKey, type ExpertKeyState } from './expert-key.ts';

let relay: Constellation;
let cookie: string;
let providerKey: string;
const realFetch = globalThis.fetch;

beforeAll(async () => {
  relay = await startConstellation();
});
afterAll(() => relay.stop());

/** Each test has its own user and calls the relay as that user's browsers do. */
beforeEach(async () => {
  cookie = await signInDev(relay.gatewayUrl, crypto.randomUUID());
  globalThis.fetch = (path, init) =>
    realFetch(new URL(String(path), relay.gatewayUrl), { ...init, headers: { ...init?.headers, cookie } });
  const made = await fetch('/api/keys', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'cli', kind: 'provider' }),
  });
  providerKey = (await made.json()).key;
});
afterEach(() => {
  globalThis.fetch = realFetch;
});

/** A browser of the user, with its own storage. */
async function openBrowser(): Promise<ExpertKey & { readonly kept: Map<string, string> }> {
  const kept = new Map<string, string>();
  const key = createExpertKey({
    storage: createPageStorage(kept),
    tabs: { send: () => {}, listen: () => () => {} },
  });
  await key.load();
  return { ...key, kept };
}

/** The names of the roots that a browser has. */
const rootsIn = ({ kept }: { readonly kept: Map<string, string> }) =>
  [...kept.keys()].filter((name) => name.endsWith(':expert-root'));

/** Calls the vault as the command `relay keys` does. */
const callVault = (init?: RequestInit) =>
  realFetch(`${relay.gatewayUrl}/api/v1/vault`, {
    ...init,
    headers: { 'x-api-key': providerKey, 'content-type': 'application/json', ...init?.headers },
  });

const ready = (key: ExpertKey): Extract<ExpertKeyState, { kind: 'ready' }> => {
  const state = key.state.get();
  if (state.kind !== 'ready') throw new Error(`The key is ${state.kind}.`);
  return state;
};

test('a key is in use once its code is confirmed, and opens on a second device', async () => {
  const first = await openBrowser();
  expect(first.state.get()).toEqual({ kind: 'missing' });
  const made = await first.make();
  expect((await openBrowser()).state.get()).toEqual({ kind: 'missing' });
  await made.confirm(true);
  expect(ready(first).fingerprint).toBe(made.fingerprint);

  const second = await openBrowser();
  expect(second.state.get()).toEqual({ kind: 'locked' });
  await expect(second.open(await makeRecoveryCode())).rejects.toMatchObject({ code: 'wrong_recovery_code' });
  await second.open(` ${made.recoveryCode.toLowerCase().replaceAll('-', ' ')}`);
  expect(ready(second).root).toEqual(ready(first).root);
});

test('a provider key can read the key of the browser, and the reverse', async () => {
  const browser = await openBrowser();
  const made = await browser.make();
  await made.confirm(true);
  const answer = await callVault();
  const { vault } = await answer.json();
  expect(await openVault(vault, made.recoveryCode)).toEqual(ready(browser).root);

  const [root, code] = [makeRoot(), await makeRecoveryCode()];
  const written = await callVault({
    method: 'PUT',
    headers: { 'if-match': answer.headers.get('etag') ?? '' },
    body: JSON.stringify({ vault: await sealVault(root, code) }),
  });
  expect(written.status).toBe(200);
  await browser.load();
  expect(browser.state.get()).toEqual({ kind: 'replaced' });
  await browser.open(code);
  expect(ready(browser).fingerprint).toBe((await openExpertKeys(root)).fingerprint);
});

test('of two devices that make a key at the same time, the key of the faster one is used', async () => {
  const [first, second] = [await openBrowser(), await openBrowser()];
  const [made, tooLate] = [await first.make(), await second.make()];
  await made.confirm(true);
  await expect(tooLate.confirm(true)).rejects.toMatchObject({ status: 428 });
  expect(second.state.get()).toEqual({ kind: 'locked', wasMadeMeanwhile: true });
  await second.open(made.recoveryCode);
  expect(ready(second).fingerprint).toBe(made.fingerprint);
});

test('of two devices that replace a key at the same time, the key of the faster one is used', async () => {
  const [first, second] = [await openBrowser(), await openBrowser()];
  await (await first.make()).confirm(true);
  const [made, tooLate] = [await first.make(), await second.make()];
  await made.confirm(true);
  await expect(tooLate.confirm(true)).rejects.toMatchObject({ status: 412 });
  expect(second.state.get()).toMatchObject({ kind: 'locked' });
});

test('after a lost answer, the next call confirms the new key', async () => {
  const browser = await openBrowser();
  const made = await browser.make();
  const send = globalThis.fetch;
  globalThis.fetch = async (path, init) => {
    const answer = await send(path, init);
    if (init?.method === 'PUT') throw new TypeError('cut off');
    return answer;
  };
  await expect(made.confirm(true)).rejects.toMatchObject({ status: 0 });
  expect(rootsIn(browser)).toEqual([]);
  globalThis.fetch = send;
  await made.confirm(true);
  expect(ready(browser).fingerprint).toBe(made.fingerprint);
});

test('a new code replaces the old one, and the key stays', async () => {
  const [first, second] = [await openBrowser(), await openBrowser()];
  const made = await first.make();
  await made.confirm(true);
  const renewed = await first.renewCode();
  await renewed.confirm(true);
  await second.load();
  await expect(second.open(made.recoveryCode)).rejects.toMatchObject({ code: 'wrong_recovery_code' });
  await second.open(renewed.recoveryCode);
  expect(ready(second).fingerprint).toBe(made.fingerprint);
});

test('a device with an old key cannot make a new code, which would overwrite the newer key', async () => {
  const [first, second] = [await openBrowser(), await openBrowser()];
  await (await first.make()).confirm(true);
  const replaced = await second.make();
  await replaced.confirm(true);
  await expect(first.renewCode()).rejects.toMatchObject({ status: 412 });
  expect(first.state.get()).toEqual({ kind: 'replaced' });
  await first.open(replaced.recoveryCode);
  expect(ready(first).fingerprint).toBe(replaced.fingerprint);
  expect(rootsIn(first)).toEqual([`${replaced.fingerprint}:expert-root`]);
});

test('a key that was removed from the browser is restored by its code', async () => {
  const browser = await openBrowser();
  const made = await browser.make();
  await made.confirm(true);
  await browser.forget();
  expect(browser.state.get()).toEqual({ kind: 'locked' });
  expect(rootsIn(browser)).toEqual([]);
  await browser.open(made.recoveryCode);
  expect(ready(browser).fingerprint).toBe(made.fingerprint);
});

test('a damaged stored key counts as missing', async () => {
  const browser = await openBrowser();
  await (await browser.make()).confirm(true);
  for (const name of rootsIn(browser)) browser.kept.set(name, 'not base64!');
  await browser.load();
  expect(browser.state.get()).toEqual({ kind: 'locked' });
});

test('reading the same key again keeps the same object', async () => {
  const browser = await openBrowser();
  await (await browser.make()).confirm(true);
  const before = browser.state.get();
  await browser.load();
  expect(browser.state.get()).toBe(before);
});

test('the owner is informed of every change of the vault that another device or program made', async () => {
  const browser = await openBrowser();
  const made = await browser.make();
  await made.confirm(true);
  await browser.load();
  expect(browser.change.get()).toBeUndefined();

  /** Replaces the vault as a program does. */
  const replace = async (root: Uint8Array): Promise<string> => {
    const code = await makeRecoveryCode();
    const etag = (await callVault()).headers.get('etag') ?? '';
    const body = JSON.stringify({ vault: await sealVault(root, code) });
    expect((await callVault({ method: 'PUT', headers: { 'if-match': etag }, body })).status).toBe(200);
    return code;
  };
  await replace(ready(browser).root);
  await browser.load();
  expect(browser.change.get()).toBe('code');
  // It is shown until the owner has read it, also after a reload.
  await browser.load();
  expect(browser.change.get()).toBe('code');
  await browser.acceptChange();
  await browser.load();
  expect(browser.change.get()).toBeUndefined();

  const code = await replace(makeRoot());
  await browser.load();
  expect(browser.change.get()).toBe('key');
  await browser.open(code);
  expect(browser.change.get()).toBeUndefined();
  await (await browser.renewCode()).confirm(true);
  await (await browser.make()).confirm(true);
  await browser.load();
  expect(browser.change.get()).toBeUndefined();
});

test('a browser that never had the key is informed when another key replaces it', async () => {
  const [owner, other] = [await openBrowser(), await openBrowser()];
  await (await owner.make()).confirm(true);
  await other.load();
  expect(other.change.get()).toBeUndefined();
  await (await owner.make()).confirm(true);
  await other.load();
  expect(other.change.get()).toBe('key');
});
