import type { IncomingMessage } from 'node:http';
import { parseApiKey } from '@expert-relay/kit/api-key';
import { checkContentType, parseJson } from '@expert-relay/kit/http';
import type { Log } from '@expert-relay/kit/log';
import { Counter, type Metrics } from '@expert-relay/kit/metrics';
import type { Principal } from '@expert-relay/kit/principal';
import { Problem } from '@expert-relay/kit/problem';
import type { Request } from 'express';
import type { EdgeResponse, EdgeStep, KeyRule } from '../call/edge-call.ts';
import type { ReceiveBody } from '../call/receive-body.ts';
import { unavailable } from '../call/send-refusal.ts';
import type { KeyFinder, KeyPrincipal } from './create-key-finder.ts';

const nobody: Principal = { kind: 'nobody' };

/** Sets the principal of a call, by the key that its route requires. */
export function authenticate(options: {
  keys: KeyFinder;
  receiveBody: ReceiveBody;
  log: Log;
  metrics: Metrics;
}): EdgeStep {
  const { keys, receiveBody, log, metrics } = options;
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

  async function find(text: string, kinds: KeyRule['kinds']): Promise<KeyPrincipal> {
    const given = parseApiKey(text);
    if (!given) refuse('malformed', 'This is no API key of this service, or it was mistyped.');
    if (!kinds.includes(given.kind)) {
      refuse('wrong_kind', `This call takes a ${kinds.join(' or ')} key, not a ${given.kind} key.`);
    }
    const found = await lookUp(given);
    return found ?? refuse('unknown', 'This key is unknown or was revoked.');
  }

  async function lookUp(given: Parameters<KeyFinder['find']>[0]): Promise<KeyPrincipal | undefined> {
    try {
      return await keys.find(given);
    } catch (error) {
      log.warn({ err: error }, 'an API key could not be looked up');
      throw unavailable('API keys cannot be checked at the moment.');
    }
  }

  async function keyOf(rule: KeyRule, request: Request, response: EdgeResponse): Promise<string | undefined> {
    if (rule.from === 'body') return keyInBody(request, await receiveBody(request, response));
    // Node joins repeated headers with a comma, which no key contains.
    return request.headers['x-api-key']?.toString();
  }

  return async (request, response, next) => {
    const { call } = response.locals;
    const rule = call.route?.key;
    const text = rule && (await keyOf(rule, request, response));
    let principal: Principal = nobody;
    if (rule && text !== undefined) principal = await find(text, rule.kinds);
    else if (rule?.optional)
      log.warn({ callId: call.id, route: response.locals.route }, 'served without a key');
    else if (rule) refuse('missing');
    call.principal = principal;
    response.locals.caller = principal.kind;
    next();
  };
}

/** The `apiKey` of a submit. The gateway parses no other body. */
function keyInBody(request: IncomingMessage, body: Buffer | undefined): string {
  const { apiKey } = body ? readObject(request, body) : {};
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

function readObject(request: IncomingMessage, body: Buffer): Record<string, unknown> {
  checkContentType(request);
  return parseJson(body);
}
