// The program that startOpenIdProvider runs. It prints its issuer when it listens, and ends when its stdin ends. It is
// not in `src`, which the compiler checks, because the package `oidc-provider` has no types.
import { createServer } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { interactionPolicy, Provider } from 'oidc-provider';

const {
  clientId,
  clientSecret,
  redirectUri,
  signedOutUri,
  sendsSecretAs = 'client_secret_post',
} = JSON.parse(process.argv[2] ?? '');

const server = createServer();
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;

const policy = interactionPolicy.base();
policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0);

/** Claims of the accounts that were given as JSON, by subject. */
const givenClaims = new Map();

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: [redirectUri],
      post_logout_redirect_uris: signedOutUri ? [signedOutUri] : [],
      token_endpoint_auth_method: sendsSecretAs,
    },
  ],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
  pkce: { required: () => true },
  features: { devInteractions: { enabled: false } },
  interactions: { policy, url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
  cookies: { keys: ['only for tests'] },
  ttl: { Session: 600, Interaction: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
  // With `true`, the ID token would contain only `sub`.
  conformIdTokenClaims: false,
  findAccount: (_ctx, name) => ({ accountId: name, claims: (use) => claimsOf(name, use) }),
  // The sign-in page asks for consent as well.
  async loadExistingGrant(ctx) {
    const { client, session } = ctx.oidc;
    const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
    grant.addOIDCScope('openid email profile');
    await grant.save();
    return grant;
  },
});
const callback = provider.callback();

server.on('request', async (request, response) => {
  // An idle connection would count as a connection that the caller has not closed.
  response.shouldKeepAlive = false;
  if (!request.url.startsWith('/interaction/')) {
    callback(request, response);
    return;
  }
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
    return;
  }
  const form = new URLSearchParams(await readText(request));
  const accountId = accountOf(form.get('account') ?? '');
  const result =
    form.get('decision') === 'allow'
      ? { login: { accountId }, select_account: {} }
      : { error: 'access_denied', error_description: 'The user did not allow it.' };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
});

process.stdout.write(`${issuer}\n`);
process.stdin.resume().once('end', () => {
  server.close();
  server.closeAllConnections();
});

function accountOf(account) {
  if (!account.startsWith('{')) return account;
  const { sub, ...claims } = JSON.parse(account);
  givenClaims.set(sub, claims);
  return sub;
}

function claimsOf(name, use) {
  const given = givenClaims.get(name);
  if (given) return { sub: name, ...given[use] };
  if (use === 'id_token') return { sub: name };
  return {
    sub: name,
    name: name[0].toUpperCase() + name.slice(1),
    email: `${name}@example.com`,
    email_verified: !name.startsWith('unverified'),
  };
}

const page = `<!doctype html><title>OpenID provider for tests</title>
<form method="post"><label>Account <input name="account" value="ada"></label>
<button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Deny</button></form>`;
