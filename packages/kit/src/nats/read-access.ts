import { accessSync, constants, readFileSync } from 'node:fs';
import { type ConnectionOptions, credsAuthenticator, nkeyAuthenticator, nkeys } from 'nats';
import { ConfigError } from '../config/index.ts';

/** The address of NATS and the credentials of a service: the values of `natsVariables`. */
export interface NatsAccess {
  readonly url: string;
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly credentialsFile?: string | undefined;
  readonly nkeySeed?: string | undefined;
}

type Access = Pick<ConnectionOptions, 'servers' | 'user' | 'pass' | 'tls' | 'authenticator'>;

/** Converts the settings to options of nats.js. Unusable values are reported here; later NATS would seem to be away. */
export function readAccess(access: NatsAccess): Access {
  const url = new URL(access.url);
  const credentials = [
    url.username && 'the user in NATS_URL',
    access.credentialsFile && 'RELAY_NATS_CREDENTIALS_FILE',
    access.nkeySeed && 'RELAY_NATS_NKEY_SEED',
  ].filter(Boolean);
  if (credentials.length > 1) {
    throw new ConfigError([
      `Set one of ${credentials.join(' and ')}: a service signs in to NATS as one user.`,
    ]);
  }
  const tls = readTls(access, url);
  return { servers: url.host, ...(tls && { tls }), ...readUser(access, url) };
}

function readUser({ credentialsFile, nkeySeed }: NatsAccess, url: URL): Access {
  if (url.username) return { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
  if (credentialsFile) {
    checkFile('RELAY_NATS_CREDENTIALS_FILE', credentialsFile);
    return { authenticator: credsAuthenticator(readFileSync(credentialsFile)) };
  }
  if (nkeySeed) return { authenticator: nkeyAuthenticator(checkSeed(nkeySeed)) };
  return {};
}

/** The files are read again at each connect, so that certificates may be renewed under a running service. */
function readTls({ caFile, certFile, keyFile }: NatsAccess, url: URL): Access['tls'] {
  if (Boolean(certFile) !== Boolean(keyFile)) {
    throw new ConfigError(['Set both of RELAY_NATS_CERT_FILE and RELAY_NATS_KEY_FILE, or neither.']);
  }
  if (caFile) checkFile('RELAY_NATS_CA_FILE', caFile);
  if (certFile) checkFile('RELAY_NATS_CERT_FILE', certFile);
  if (keyFile) checkFile('RELAY_NATS_KEY_FILE', keyFile);
  if (url.protocol !== 'tls:' && !caFile && !certFile) return undefined;
  // Without it, Node would look for `localhost` in the certificate of a server with an IP address.
  const host = { host: url.hostname };
  return { ...host, ...(caFile && { caFile }), ...(certFile && keyFile && { certFile, keyFile }) };
}

function checkFile(variable: string, file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch {
    throw new ConfigError([
      `${variable} names ${file}, which cannot be read. Put the file there, or correct the path.`,
    ]);
  }
}

function checkSeed(text: string): Uint8Array {
  const seed = new TextEncoder().encode(text);
  try {
    if (nkeys.fromSeed(seed).getPublicKey().startsWith('U')) return seed;
  } catch {
    // Reported below, like a seed of another kind.
  }
  throw new ConfigError([
    'RELAY_NATS_NKEY_SEED is not valid (its value is not shown). It must be the seed of a user, which begins with SU.',
  ]);
}
