import type { IncomingMessage } from 'node:http';
import { type ParsedApiKey, parseApiKey } from '@expert-relay/kit/api-key';
import { checkContentType, parseJson } from '@expert-relay/kit/http';
import type { Log } from '@expert-relay/kit/log';
import { Counter, type Metrics } from '@expert-relay/kit/metrics';
import type { KeyPrincipal, Principal } from '@expert-relay/kit/principal';
import { Problem, unavailable } from '@expert-relay/kit/problem';
import { releaseSpan } from '@expert-relay/kit/tracing';
import type { Request } from 'express';
import type { EdgeResponse, EdgeStep, KeyRule } from '../call/edge-call.ts';
import type { BodyReceiver } from '../call/receive-body.ts';
import type { KeyCache } from './create-key-cache.ts';

const nobody: Principal = { kind: 'nobody' };

/** Sets the principal of a call, by the key that its route requires. */
export function authenticate(options: {
  keys: KeyCache;
  bodies: BodyReceiver;
  log: Log;
  metrics: Metrics;
}): EdgeStep {
  const { keys, bodies, log, metrics } = options;
  const failures = new Counter({
    name: 'relay_gateway_auth_failures_total',
    help: 'Calls refused for their API key.',
    labelNames: ['reason'],
    registers: [metrics],
  });

  function refuse(reason: 'missing' | 'malformed' | 'wrong_kind' | 'unknown', detail?: string): never {
    failures.inc({ reason });
    throw new Problem('unauthorized', detail ? { detail } : {});
  }

  async function readKey(
    rule: KeyRule,
    request: Request,
    response: EdgeResponse,
  ): Promise<string | undefined> {
    if (rule.from === 'body') return keyInBody(request, await bodies.receive(request, response));
    // Node joins repeated headers with a comma, which no key contains.
    return request.headers['x-api-key']?.toString();
  }

  async function checkKey(text: string, kinds: KeyRule['kinds']): Promise<KeyPrincipal> {
    const key = parseApiKey(text);
    if (!key) refuse('malformed', 'This is not an API key of this service, or it was mistyped.');
    if (!kinds.includes(key.kind)) {
      refuse('wrong_kind', `This call takes a ${kinds.join(' or ')} key, not a ${key.kind} key.`);
    }
    const principal = await lookUp(key);
    return principal ?? refuse('unknown', 'This key is unknown or was revoked.');
  }

  async function lookUp(key: ParsedApiKey): Promise<KeyPrincipal | undefined> {
    try {
      return await keys.find(key);
    } catch (error) {
      log.warn({ err: error }, 'an API key could not be looked up');
      throw unavailable('API keys cannot be checked at the moment.');
    }
  }

  return async (request, response, next) => {
    const { call } = response.locals;
    const rule = call.route?.key;
    const text = rule && (await readKey(rule, request, response));
    let principal: Principal = nobody;
    if (rule && text !== undefined) {
      principal = await checkKey(text, rule.kinds);
      // A trace that a client began is recorded only if its key is valid.
      releaseSpan();
    } else if (rule?.optional)
      log.warn({ callId: call.id, route: response.locals.route }, 'served without a key');
    else if (rule) refuse('missing');
    call.principal = principal;
    response.locals.caller = principal.kind;
    next();
  };
}

/** The `apiKey` of a submit. The gateway parses no other body. */
function keyInBody(request: IncomingMessage, body: Buffer | undefined): string {
  const { apiKey } = body ? parseObject(request, body) : {};
  if (typeof apiKey === 'string') return apiKey;
  const isMissing = apiKey === undefined || apiKey === null;
  throw new Problem('invalid_request', {
    fields: [
      isMissing
        ? { path: 'apiKey', code: 'required', message: 'This member is required.' }
        : { path: 'apiKey', code: 'type', message: 'Expected a text: the consumer key, hs_...' },
    ],
  });
}

function parseObject(request: IncomingMessage, body: Buffer): Record<string, unknown> {
  checkContentType(request);
  return parseJson(body);
}
