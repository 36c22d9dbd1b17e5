import type { Route } from '@expert-relay/kit/http';
import type { Context } from '../context.ts';
import { checkSession } from './check-session.ts';
import { closeRequest } from './close-request.ts';
import { countRequests } from './count-requests.ts';
import { createKey } from './create-key.ts';
import { createStreamToken } from './create-stream-token.ts';
import { endSession } from './end-session.ts';
import { exchangeKeyForToken } from './exchange-key-for-token.ts';
import { exchangeKeys } from './exchange-keys.ts';
import { findByRef } from './find-by-ref.ts';
import { getMe } from './get-me.ts';
import { getVault } from './get-vault.ts';
import { joinIdentity } from './join-identity.ts';
import { listIdentities } from './list-identities.ts';
import { listKeys } from './list-keys.ts';
import { listRequests } from './list-requests.ts';
import { listRevocations } from './list-revocations.ts';
import { pollHelp } from './poll-help.ts';
import { putVault } from './put-vault.ts';
import { removeIdentity } from './remove-identity.ts';
import { renameKey } from './rename-key.ts';
import { revokeKey } from './revoke-key.ts';
import { rotateKey } from './rotate-key.ts';
import { getSavedReplies, putSavedReplies } from './saved-replies.ts';
import { signInUser } from './sign-in-user.ts';
import { submitHelp } from './submit-help.ts';
import { endSnooze, settleRequest, snoozeRequest } from './triage-request.ts';
import { findSignInLink, useSignInLink } from './use-sign-in-link.ts';
import { whoami } from './whoami.ts';

export const routes = (context: Context): readonly Route[] => [
  submitHelp(context),
  findByRef(context),
  listRequests(context),
  pollHelp(context),
  exchangeKeys(context),
  closeRequest(context),
  whoami(context),
  createStreamToken(context),
  getVault(context),
  putVault(context),
  // For the dashboard and the hub. The gateway has no routes to these.
  exchangeKeyForToken(context),
  listRevocations(context),
  signInUser(context),
  checkSession(context),
  findSignInLink(context),
  useSignInLink(context),
  listIdentities(context),
  joinIdentity(context),
  removeIdentity(context),
  endSession(context),
  getMe(context),
  countRequests(context),
  snoozeRequest(context),
  endSnooze(context),
  settleRequest(context),
  getSavedReplies(context),
  putSavedReplies(context),
  listKeys(context),
  createKey(context),
  renameKey(context),
  rotateKey(context),
  revokeKey(context),
];
