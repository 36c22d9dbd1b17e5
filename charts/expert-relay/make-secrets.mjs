// node make-secrets.mjs [--trial <name>] | kubectl create secret generic <secret> --from-env-file=/dev/stdin
//
// Prints everything that the relay keeps secret, one NAME=value a line, with keys made now: print it into a Secret or a
// file of mode 0600, and nowhere else. The addresses of the servers come from DATABASE_URL, DATABASE_DIRECT_URL, NATS_URL
// and REDIS_URL, or NATS_URL_HUB and so on where services are users of their own; with --trial they are those of the chart's
// trial servers, with passwords made now, for the release <name>.
//
// Needs only Node.
import { createECDH, createHash, generateKeyPairSync, randomBytes } from 'node:crypto';

const natsUsers = ['gateway', 'requests', 'messages', 'hub'];
const redisUsers = ['expiry-worker', 'dashboard'];
const principalPairs = [
  ['gateway', 'requests'],
  ['gateway', 'messages'],
  ['gateway', 'dashboard'],
  ['gateway', 'notifier'],
  ['dashboard', 'requests'],
  ['dashboard', 'messages'],
  ['dashboard', 'notifier'],
  ['hub', 'requests'],
];

const [option, release, ...rest] = process.argv.slice(2);
const servers = option === '--trial' && release && rest.length === 0 ? trialServers(release) : namedServers();
for (const [name, value] of Object.entries({ ...ownSecrets(), ...servers })) console.log(`${name}=${value}`);

function ownSecrets() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    RELAY_SESSION_SECRET: random(),
    RELAY_ENDPOINT_KEYS: newKey(),
    RELAY_VAPID_KEYS: vapidKey(),
    RELAY_STREAM_TOKEN_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64url'),
    RELAY_STREAM_TOKEN_PUBLIC_KEYS: publicKey.export({ type: 'spki', format: 'der' }).toString('base64url'),
    ...Object.fromEntries(
      principalPairs.map(([from = '', to = '']) => [
        `RELAY_PRINCIPAL_KEY_${upper(from)}_${upper(to)}`,
        newKey(),
      ]),
    ),
  };
}

/** @param {string} name */
function trialServers(name) {
  const prefix = prefixOf(name);
  const postgres = random();
  const users =
    (/** @type {string} */ server, /** @type {string} */ protocol, /** @type {number} */ port) =>
    (/** @type {string} */ user) => {
      const password = random();
      const key = `${upper(server)}_PASSWORD_${upper(user)}`;
      const url = `${protocol}://${user}:${password}@${prefix}-${server}:${port}`;
      return [
        [key, password],
        [`${upper(server)}_URL_${upper(user)}`, url],
      ];
    };
  return Object.fromEntries([
    ['POSTGRES_PASSWORD', postgres],
    ['DATABASE_URL', `postgres://relay:${postgres}@${prefix}-postgres:5432/relay`],
    ...natsUsers.flatMap(users('nats', 'nats', 4222)),
    ...redisUsers.flatMap(users('redis', 'redis', 6379)),
  ]);
}

/** What the chart begins names with: see templates/_names.tpl. */
function prefixOf(/** @type {string} */ release) {
  if (release.length <= 40) return release;
  const hash = createHash('sha256').update(release).digest('hex').slice(0, 8);
  return `${release.slice(0, 31).replace(/-$/, '')}-${hash}`;
}

function namedServers() {
  const { DATABASE_URL, DATABASE_DIRECT_URL } = process.env;
  const addresses = [...addressesOf('NATS_URL', natsUsers), ...addressesOf('REDIS_URL', redisUsers)];
  if (process.argv.length > 2 || !DATABASE_URL || addresses.some(([, address]) => !address)) {
    console.error(
      'Set DATABASE_URL, NATS_URL and REDIS_URL to the addresses of your servers (and DATABASE_DIRECT_URL where DATABASE_URL\n' +
        'leads through a pooler; in place of NATS_URL and REDIS_URL, NATS_URL_HUB and so on for each service), or say\n' +
        '--trial <name>, where <name> is the name of the release (expert-relay).',
    );
    process.exit(1);
  }
  return Object.fromEntries([
    ['DATABASE_URL', DATABASE_URL],
    ...(DATABASE_DIRECT_URL ? [['DATABASE_DIRECT_URL', DATABASE_DIRECT_URL]] : []),
    ...addresses,
  ]);
}

/** The address of each user of a server. @param {string} name @param {string[]} users */
function addressesOf(name, users) {
  return users.map((user) => {
    const key = `${name}_${upper(user)}`;
    return [key, process.env[key] || process.env[name]];
  });
}

/** The private key of push. A key that begins with zeros is returned without them. */
function vapidKey() {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  return Buffer.from(pair.getPrivateKey('hex').padStart(64, '0'), 'hex').toString('base64url');
}

/** A key with the day as its id. */
function newKey() {
  return `${new Date().toISOString().slice(0, 10)}:${randomBytes(32).toString('base64url')}`;
}

/** Begins with a letter: NATS would read a password of digits as a number. */
function random() {
  return `k${randomBytes(32).toString('base64url')}`;
}

/** @param {string} name */
function upper(name) {
  return name.toUpperCase().replaceAll('-', '_');
}
