import type { Request } from 'express';
import passport from 'passport';
import type { FinishedVisit, OAuthFlow } from './oauth-flow.ts';

declare global {
  namespace Express {
    interface Request {
      visit?: FinishedVisit;
    }
  }
}

export type OAuthStep = 'begin' | 'finish';

export const strategyName = (flow: OAuthFlow, step: OAuthStep): string => `${flow.provider.name}:${step}`;

/**
 * One step of a sign-in at a provider, as passport knows it: `begin` leads to the provider, `finish` gives the identity.
 * The route chooses the step. A step derived from the path would depend on how that path is written.
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
        // The route has it put into `request.visit`: nobody is signed in yet.
        (visit) => this.success(visit as unknown as Express.User),
        (error) => this.error(error),
      );
    } else {
      flow.begin(response).then(
        (url) => this.redirect(url.href),
        (error) => this.error(error),
      );
    }
  }
}
