import { createDecipheriv, createECDH, hkdfSync } from 'node:crypto';
import type { BrowserContext } from 'playwright-core';
import type { PushService, ReceivedPush } from '../../e2e/push-service.ts';

/**
 * Lets the browser subscribe at a push service of this machine: without the internet Chromium cannot subscribe at its own.
 * All else is as in the browser: the subscription lasts until it is ended, and has one key.
 */
export async function subscribeAt(context: BrowserContext, service: PushService): Promise<void> {
  await context.addInitScript(`{
    const stored = 'test:subscription';
    const toText = (key) => typeof key === 'string' ? key : btoa(String.fromCharCode(...new Uint8Array(key)))
      .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    const toBytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
    const read = () => JSON.parse(localStorage.getItem(stored) ?? 'null');
    const open = ({ endpoint, applicationServerKey }) => ({
      endpoint,
      options: { userVisibleOnly: true, applicationServerKey: toBytes(applicationServerKey).buffer },
      toJSON: () => ({ endpoint, expirationTime: null, keys: ${JSON.stringify(service.subscribe('').keys)} }),
      async unsubscribe() { localStorage.removeItem(stored); return true; },
    });
    PushManager.prototype.getSubscription = async () => { const known = read(); return known && open(known); };
    PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
      const key = toText(applicationServerKey);
      const known = read() ?? { endpoint: ${JSON.stringify(service.origin)} + '/' + crypto.randomUUID(), applicationServerKey: key };
      if (known.applicationServerKey !== key) throw new DOMException('Another key.', 'InvalidStateError');
      localStorage.setItem(stored, JSON.stringify(known));
      return open(known);
    };
  }`);
}

/** Decrypts a push message as the browser does (RFC 8291). */
export function decryptPush({ browser }: PushService, { body }: ReceivedPush): string {
  const own = createECDH('prime256v1');
  own.setPrivateKey(browser.private, 'base64');
  const [salt, sender, text] = [body.subarray(0, 16), body.subarray(21, 86), body.subarray(86)];
  const derive = (secret: Uint8Array, by: Uint8Array, info: string | Buffer, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, by, info, length));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), sender]);
  const secret = derive(own.computeSecret(sender), Buffer.from(browser.auth, 'base64'), info, 32);
  const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16);
  const decipher = createDecipheriv(
    'aes-128-gcm',
    key,
    derive(secret, salt, 'Content-Encoding: nonce\0', 12),
  );
  decipher.setAuthTag(text.subarray(-16));
  const padded = Buffer.concat([decipher.update(text.subarray(0, -16)), decipher.final()]);
  return padded.subarray(0, padded.lastIndexOf(2)).toString();
}
