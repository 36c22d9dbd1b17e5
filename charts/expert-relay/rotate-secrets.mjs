// kubectl get secret <secret> --output json | node rotate-secrets.mjs <step> | kubectl replace --filename -
//
// Replaces the keys that the services share with each other, without downtime: principal keys, the secret of sessions, the
// keys of webhooks, and the keys of stream tokens. Three steps, after each of which all pods are replaced:
//   add   adds a new key, which is accepted and not used yet
//   use   the new key is used, and the old one is still accepted
//   drop  removes the old key
// docs/rotating-secrets.md says how long to wait in between. Addresses and passwords of servers stay as they are.
// A step that is repeated, because its pods were not all replaced, changes nothing.
//
// Needs only Node.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';

/** Kept in the Secret between `add` and `use`. No pod gets it. */
const nextPrivateKey = 'RELAY_STREAM_TOKEN_PRIVATE_KEY_NEXT';

/** @type {Record<string, (values: Record<string, string>) => Record<string, string | undefined>>} */
const steps = {
  add(values) {
    if (values[nextPrivateKey]) return {};
    if (isUnderWay(values))
      stop('The new key is used already: repeat "use" if not all pods were replaced, then "drop".');
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    return {
      ...changeLists(values, (name, [first]) => [first, newKey(name, publicKey)]),
      [nextPrivateKey]: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64url'),
    };
  },
  use(values) {
    if (!isUnderWay(values)) stop('There is no new key: the first step is "add".');
    if (!values[nextPrivateKey]) return {};
    return {
      ...changeLists(values, (_, [first, second]) => [second, first]),
      RELAY_STREAM_TOKEN_PRIVATE_KEY: values[nextPrivateKey],
      [nextPrivateKey]: undefined,
    };
  },
  drop(values) {
    if (values[nextPrivateKey]) stop('The new key is not used yet: the next step is "use".');
    return changeLists(values, (_, [first]) => [first]);
  },
};

const step = steps[process.argv[2] ?? ''];
if (!step || process.argv.length > 3) stop('Pass add, use or drop.');
const secret = JSON.parse(await text(process.stdin));
const values = Object.fromEntries(
  Object.entries(secret.data ?? {}).map(([name, value]) => [
    name,
    Buffer.from(String(value), 'base64').toString(),
  ]),
);
for (const [name, value] of Object.entries(step(values))) {
  if (value === undefined) delete secret.data[name];
  else secret.data[name] = Buffer.from(value).toString('base64');
}
console.log(JSON.stringify(secret));

/** @param {Record<string, string>} values @param {(name: string, keys: string[]) => (string | undefined)[]} change */
function changeLists(values, change) {
  return Object.fromEntries(
    listsOf(values).map((name) => [name, change(name, split(values[name])).join(',')]),
  );
}

/** The keys that may hold two values, separated by a comma. @param {Record<string, string>} values */
function listsOf(values) {
  const lists = Object.keys(values).filter((name) =>
    /^(RELAY_PRINCIPAL_KEY_.*|RELAY_SESSION_SECRET|RELAY_ENDPOINT_KEYS|RELAY_STREAM_TOKEN_PUBLIC_KEYS)$/.test(
      name,
    ),
  );
  if (lists.length === 0) stop('This is not the Secret of a relay: it has no RELAY_PRINCIPAL_KEY_...');
  return lists;
}

/** @param {Record<string, string>} values */
function isUnderWay(values) {
  return listsOf(values).some((name) => split(values[name]).length > 1);
}

/** @param {string} name @param {import('node:crypto').KeyObject} publicKey */
function newKey(name, publicKey) {
  if (name === 'RELAY_STREAM_TOKEN_PUBLIC_KEYS') {
    return publicKey.export({ type: 'spki', format: 'der' }).toString('base64url');
  }
  const random = randomBytes(32).toString('base64url');
  if (name === 'RELAY_SESSION_SECRET') return `k${random}`;
  return `${new Date().toISOString().slice(0, 10)}-${randomBytes(3).toString('hex')}:${random}`;
}

/** @param {string | undefined} list */
function split(list) {
  return (list ?? '').split(',');
}

/** @param {string} message @returns {never} */
function stop(message) {
  console.error(message);
  process.exit(1);
}
