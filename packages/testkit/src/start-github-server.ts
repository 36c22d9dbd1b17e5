import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';

export interface GithubUser {
  readonly id: number;
  readonly login: string;
  readonly name: string | null;
  readonly emails: readonly { email: string; primary: boolean; verified: boolean }[];
}

/** The part of GitHub that a sign-in needs: the consent page, the token, the user and the user's email addresses. */
export interface GithubServer {
  /** The calls of the token endpoint until now. */
  tokenCalls: number;
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The user who is signed in at GitHub. */
  user: GithubUser;
  /** Whether the user consents. */
  consents: boolean;
  /** How the API responses. `silent` accepts the call and never responds. */
  mode: 'fine' | 'failing' | 'silent';
  /** Delays the answers to all calls: `received` resolves at the first call, and `release` sends the responses. */
  hold(): { readonly received: Promise<void>; release(): void };
  stop(): Promise<void>;
}

interface Grant {
  readonly challenge: string;
  readonly user: GithubUser;
}

/** Compares `redirectUri` exactly. A code can be used once, with the verifier of its challenge. */
export async function startGithubServer({ redirectUri }: { redirectUri: string }): Promise<GithubServer> {
  const codes = new Map<string, Grant>();
  const tokens = new Map<string, GithubUser>();
  let held: { receive(): void; readonly released: Promise<void> } | undefined;
  const server = createServer((request, response) => {
    // An idle connection would count as a connection that the caller has not closed.
    response.shouldKeepAlive = false;
    if (github.mode === 'silent') return;
    if (github.mode === 'failing') response.writeHead(503).end('unicorn');
    else respond(request, response).catch((error) => response.writeHead(500).end(String(error)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');

  const github: GithubServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clientId: 'Iv1.0123456789abcdef',
    clientSecret: randomBytes(20).toString('hex'),
    user: {
      id: 583231,
      login: 'octocat',
      name: 'The Octocat',
      emails: [{ email: 'octocat@example.com', primary: true, verified: true }],
    },
    consents: true,
    tokenCalls: 0,
    mode: 'fine',
    hold() {
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = () => {
          held = undefined;
          resolve();
        };
      });
      const received = new Promise<void>((receive) => {
        held = { receive, released };
      });
      return { received, release };
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return github;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    held?.receive();
    await held?.released;
    await answer(request, response);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', github.url);
    const user = tokens.get(request.headers.authorization?.replace('Bearer ', '') ?? '');
    if (pathname === '/login/oauth/authorize') authorize(searchParams, response);
    else if (pathname === '/login/oauth/access_token') {
      github.tokenCalls++;
      send(response, 200, issueToken(new URLSearchParams(await readText(request))));
    } else if (!user) send(response, 401, { message: 'Bad credentials' });
    else if (pathname === '/api/v3/user') {
      send(response, 200, { id: user.id, login: user.login, name: user.name, email: null });
    } else if (pathname === '/api/v3/user/emails') send(response, 200, user.emails);
    else send(response, 404, { message: 'Not Found' });
  }

  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const challenge = query.get('code_challenge') ?? '';
    const isAsRegistered =
      query.get('client_id') === github.clientId && query.get('redirect_uri') === redirectUri;
    const isComplete =
      query.get('state') && query.get('code_challenge_method') === 'S256' && challenge.length === 43;
    if (!isAsRegistered || !isComplete) {
      send(response, 400, { message: 'The redirect_uri is not associated with this application.' });
      return;
    }
    const back = new URL(redirectUri);
    back.searchParams.set('state', query.get('state') ?? '');
    if (github.consents) {
      const code = randomBytes(10).toString('hex');
      codes.set(code, { challenge, user: github.user });
      back.searchParams.set('code', code);
    } else {
      back.searchParams.set('error', 'access_denied');
      back.searchParams.set('error_description', 'The user has denied your application access.');
    }
    response.writeHead(302, { location: back.href }).end();
  }

  /** GitHub reports errors with the status 200. */
  function issueToken(form: URLSearchParams): object {
    if (form.get('client_id') !== github.clientId || form.get('client_secret') !== github.clientSecret) {
      return { error: 'incorrect_client_credentials' };
    }
    const code = form.get('code') ?? '';
    const grant = codes.get(code);
    codes.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!grant || grant.challenge !== challenge || form.get('redirect_uri') !== redirectUri) {
      return { error: 'bad_verification_code', error_description: 'The code is incorrect or expired.' };
    }
    const token = `gho_${randomBytes(18).toString('hex')}`;
    tokens.set(token, grant.user);
    return { access_token: token, scope: 'read:user,user:email', token_type: 'bearer' };
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}
