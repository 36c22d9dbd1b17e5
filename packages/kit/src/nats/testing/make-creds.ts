import { createHash } from 'node:crypto';
import { nkeys } from 'nats';

/** Makes the same as NATS's own tools: an operator, an account and a user, each signed by the one before. */
export function makeCreds(): { creds: string; serverConfig: string } {
  const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()];
  const [operatorId, accountId] = [operator.getPublicKey(), account.getPublicKey()];
  const operatorToken = sign(operator, operatorId, {
    name: 'operator',
    nats: { type: 'operator', version: 2 },
  });
  const limits = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, conn: -1, leaf: -1 };
  const accountToken = sign(operator, accountId, {
    name: 'account',
    nats: { type: 'account', version: 2, limits },
  });
  const userToken = sign(account, user.getPublicKey(), {
    name: 'user',
    nats: { type: 'user', version: 2, subs: -1, data: -1, payload: -1 },
  });
  const seed = new TextDecoder().decode(user.getSeed());
  return {
    creds: [
      '-----BEGIN NATS USER JWT-----',
      userToken,
      '------END NATS USER JWT------',
      '',
      '-----BEGIN USER NKEY SEED-----',
      seed,
      '------END USER NKEY SEED------',
      '',
    ].join('\n'),
    serverConfig: `operator: ${operatorToken}\nresolver: MEMORY\nresolver_preload: { ${accountId}: ${accountToken} }\n`,
  };
}

function sign(by: ReturnType<typeof nkeys.createUser>, subject: string, claims: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const issued = { iss: by.getPublicKey(), sub: subject, iat: Math.floor(Date.now() / 1_000), ...claims };
  const jti = createHash('sha256').update(JSON.stringify(issued)).digest('hex');
  const text = `${encode({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encode({ jti, ...issued })}`;
  return `${text}.${Buffer.from(by.sign(new TextEncoder().encode(text))).toString('base64url')}`;
}
