import type { Request } from 'express';
import passport from 'passport';
import type { FinishedSignIn, OAuthFlow } from './oauth-flow.ts';

declare global {
  namespace Express {
    interface Request {
      /** Set by the strategy below. */
      finishedSignIn?: FinishedSignIn;
    }
  }
}

export type OAuthStep = 'begin' | 'finish';

export const strategyName = (flow: OAuthFlow, step: OAuthStep): string => `${flow.provider.name}:${step}`;

/**
 * One step of a sign-in at a provider, for passport: `begin` redirects to the provider, `finish` returns the identity.
 */
export class OAuthStrategy extends passport.Strategy {
  readonly flow: OAuthFlow;
  readonly step: OAuthStep;

  constructor(flow: OAuthFlow, step: OAuthStep) {
    super();
    this.name = strategyName(flow, step);
    this.flow = flow;
    this.step = step;
  }

  override authenticate(request: Request): void {
    const { flow } = this;
    const response = request.res;
    if (!response) throw new Error('Express gives each request its response.');
    if (this.step === 'finish') {
      flow.finish(request, response).then(
        // Passport puts it into `request.finishedSignIn`. The user is not signed in yet.
        (finished) => this.success(finished as unknown as Express.User),
        (error) => this.error(error),
      );
    } else {
      const { searchParams } = new URL(request.originalUrl, 'http://relay.invalid');
      flow.begin(response, { otherAccount: searchParams.get('account') === 'other' }).then(
        (url) => this.redirect(url.href),
        (error) => this.error(error),
      );
    }
  }
}
