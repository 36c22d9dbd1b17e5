/** Every error that a client can meet. `docs/errors.md` is generated from this list. */
export const problems = {
  invalid_request: {
    status: 400,
    title: 'The request is not valid',
    help: 'Read `fields`: each names a member of the body or query, and says what is expected there.',
  },
  invalid_json: {
    status: 400,
    title: 'The body is not valid JSON',
    help: 'Send one JSON object in UTF-8, at most 32 levels deep, with at most 10,000 members and list entries counted together, and without a member named twice.',
  },
  nul_character: {
    status: 400,
    title: 'A text contains the character NUL',
    help: 'Remove NUL (`\\u0000`) from all texts and names of the body: it cannot be stored.',
  },
  lone_surrogate: {
    status: 400,
    title: 'A text contains half of a surrogate pair',
    help: 'Send whole characters: a surrogate such as `\\ud83d` needs its other half. Cutting a text in the middle of an emoji leaves one.',
  },
  unauthorized: {
    status: 401,
    title: 'A valid credential is needed',
    help: 'Send a key of the right kind: `x-api-key: hs_...` for consumers, `x-api-key: hs_prov_...` for providers (submit takes it as `apiKey` in the body). A key that was revoked or mistyped is refused as well.',
  },
  forbidden: {
    status: 403,
    title: 'This credential may not do that',
    help: 'The credential is valid, but it does not cover this call.',
  },
  sign_in_again: {
    status: 403,
    title: 'This needs a recent sign-in',
    help: 'Accounts are added and removed only within 10 minutes after a sign-in. Sign in again (`POST /api/identities/{provider}?again=true` with an account of this user), then repeat the call.',
  },
  role_mismatch: {
    status: 403,
    title: 'The role does not match the key',
    help: 'A consumer key sends as `consumer`, a provider key or a session as `provider`.',
  },
  foreign_origin: {
    status: 403,
    title: 'The call came from a foreign page',
    help: 'Calls that change something with a session cookie must come from this site itself.',
  },
  foreign_host: {
    status: 403,
    title: 'This relay does not run under this address',
    help: 'A relay that runs for one machine serves its pages under `RELAY_PUBLIC_URL` and the loopback names `localhost`, `127.0.0.1` and `[::1]` with the same port, so that no other site can redirect a browser to this relay under its own name. Open one of these, or set `RELAY_PUBLIC_URL`.',
  },
  not_found: {
    status: 404,
    title: 'There is nothing here',
    help: 'Check the method, the path, and the id or code in it. A request that does not exist and one of another user get the same response.',
  },
  method_not_allowed: {
    status: 405,
    title: 'This path does not take this method',
    help: 'The `Allow` header names the methods that the path takes.',
  },
  conversation_closed: {
    status: 409,
    title: 'The conversation is closed',
    help: 'It can still be read. Submit a new help request to go on.',
  },
  conversation_expired: {
    status: 409,
    title: 'The conversation has expired',
    help: 'The time of this conversation is over. It can still be read. Submit a new help request to go on.',
  },
  conversation_full: {
    status: 409,
    title: 'The conversation is full',
    help: 'A conversation holds up to 10,000 messages or 64 MiB, and from 56 MiB on only messages of up to 64 KiB. Submit a new help request to go on.',
  },
  keys_already_exchanged: {
    status: 409,
    title: 'Other keys were exchanged before',
    help: 'The provider keys of a request are set once. Repeating the same keys with the same `keySignature` is fine, anything else is refused.',
  },
  message_id_taken: {
    status: 409,
    title: 'Another message has this messageId',
    help: 'Repeat a message with the very same body, or give a new one a new UUID.',
  },
  agent_has_written: {
    status: 409,
    title: 'The agent has written since',
    help: 'The expert has not seen its newest message. Read the request again, then decide.',
  },
  not_answered: {
    status: 409,
    title: 'The request was not answered yet',
    help: 'That there is nothing to answer can be said only after the first answer. Answer it, or close it.',
  },
  key_revoked: {
    status: 409,
    title: 'The key is revoked',
    help: 'A revoked key stays revoked. Create a new one.',
  },
  too_many_keys: {
    status: 409,
    title: 'This user has too many keys',
    help: 'A user has at most 100 keys that are not revoked, of both kinds together. Revoke one that is no longer needed, then create the new one; or rotate an existing key, which keeps its number.',
  },
  too_many_webhooks: {
    status: 409,
    title: 'There are too many webhooks',
    help: 'A user has at most 50 webhooks, of which each consumer key has at most 3. Delete one that is no longer needed, or change it.',
  },
  webhook_off: {
    status: 409,
    title: 'The webhook is off',
    help: 'Nothing is delivered to it. Switch it on first: `PUT /api/v1/webhooks/{webhookId}` with `"enabled": true`. If its `offReason` is `unreadable`, delete it and make it again.',
  },
  too_many_channels: {
    status: 409,
    title: 'There are too many channels',
    help: 'A user has at most 50 channels and webhooks together. Delete one that is no longer needed, or change it.',
  },
  channel_off: {
    status: 409,
    title: 'The channel is off',
    help: 'Nothing is sent to it. Switch it on first: `PUT /api/notifications/channels/{channelId}` with `"enabled": true`. An email address must be confirmed, too. If its `offReason` is `unreadable`, delete it and add it again.',
  },
  channel_not_offered: {
    status: 409,
    title: 'This relay does not offer this channel',
    help: 'Its operator sets up push (`RELAY_VAPID_KEYS`) and email (`RELAY_SMTP_URL`). `GET /api/notifications` says which there are.',
  },
  emails_stopped: {
    status: 409,
    title: 'Emails to this address were stopped',
    help: 'The owner of this address has stopped the emails of this relay with the link in one of them. An account whose sign-in address it is can have a link sent to it again. For another account, ask the operator of the relay.',
  },
  confirmation_invalid: {
    status: 409,
    title: 'The link is not valid any more',
    help: 'A link that confirms an address works for three days, and the newest one only. Have another one sent: `POST /api/notifications/channels/{channelId}/send-confirmation`.',
  },
  last_identity: {
    status: 409,
    title: 'Without this account the user could not sign in',
    help: 'Add an account of another provider first (`POST /api/identities/{provider}`), then remove this one.',
  },
  request_timeout: {
    status: 408,
    title: 'The request came too slowly',
    help: 'The head of a request must arrive within 10 seconds, and the whole request within a minute. Send it again on a new connection.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    help: 'A body holds at most 1 MiB (1,048,576 bytes).',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body must be JSON',
    help: 'Send `Content-Type: application/json`, not compressed.',
  },
  precondition_failed: {
    status: 412,
    title: 'The stored value has changed since you read it',
    help: 'Read it again and send the new `ETag` as `If-Match`.',
  },
  precondition_required: {
    status: 428,
    title: 'Say which version you replace',
    help: 'Read it first and send its `ETag` as `If-Match`.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The idempotency key was used with another body',
    help: 'Repeat a submit with the very same body, or give a new one a new key.',
  },
  headers_too_large: {
    status: 431,
    title: 'The head of the request is too large',
    help: 'The request line and all headers together hold at most 16 KiB, in at most 100 headers; at the hub 64 KiB.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    help: 'Wait as long as `Retry-After` says. Realtime events need no polling: see `POST /api/v1/stream-token`.',
  },
  too_many_at_once: {
    status: 429,
    title: 'Too many calls at once',
    help: 'Too many slow uploads, downloads or searches of this client are open at the same time. Finish some of them first, or wait as long as `Retry-After` says.',
  },
  internal: {
    status: 500,
    title: 'Something went wrong on our side',
    help: 'The call has stored nothing. Try again; if the error stays, report the `x-request-id` of the response.',
  },
  bad_gateway: {
    status: 502,
    title: 'The response of a service broke off',
    help: 'It is not known whether the call took effect. Repeating is safe with the same `messageId` or `Idempotency-Key`.',
  },
  principal_refused: {
    status: 502,
    title: 'One service did not accept the call of another',
    help: 'The cause is on our side, not your credential, and the call took no effect. Try again; if the error stays, report the `x-request-id` of the response.',
  },
  unavailable: {
    status: 503,
    title: 'Not available at the moment',
    help: 'Wait as long as `Retry-After` says and try again. Nothing has taken effect, unless `detail` says that this is not known. Repeating is safe with the same `messageId` or `Idempotency-Key`.',
  },
} as const satisfies Record<string, { status: number; title: string; help: string }>;

export type ProblemCode = keyof typeof problems;
