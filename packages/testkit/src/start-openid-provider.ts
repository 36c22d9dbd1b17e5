import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A real OpenID Connect provider in its own process. */
export interface OpenIdProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  stop(): Promise<void>;
}

/**
 * Its sign-in page accepts any account name: `ada` has the verified address ada@example.com. The address of an account
 * whose name begins with `unverified` is not verified. Instead of a name, a test can send the claims of an account as
 * JSON: `{"sub": "1", "id_token": {...}, "userinfo": {...}}`.
 */
export async function startOpenIdProvider(options: {
  redirectUri: string;
  signedOutUri?: string;
  /** The only way of sending the client secret that it accepts, although it states several. */
  sendsSecretAs?: 'client_secret_basic' | 'client_secret_post';
}): Promise<OpenIdProvider> {
  const client = { clientId: 'relay.apps.example', clientSecret: randomBytes(24).toString('base64url') };
  const program = fileURLToPath(new URL('../programs/openid-provider.mjs', import.meta.url));
  const provider = spawn(process.execPath, [program, JSON.stringify({ ...client, ...options })], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const lines = createInterface(provider.stdout);
  const [issuer] = await Promise.race([
    once(lines, 'line'),
    once(provider, 'exit').then(([code]) => {
      throw new Error(`The OpenID provider ended with exit code ${code} instead of starting.`);
    }),
  ]);
  return {
    issuer,
    ...client,
    async stop() {
      if (provider.exitCode !== null) return;
      const exited = once(provider, 'exit');
      provider.stdin.end();
      await exited;
      lines.close();
    },
  };
}
