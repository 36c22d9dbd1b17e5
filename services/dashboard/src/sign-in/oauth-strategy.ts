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

/** A provider as passport knows it: its callback gives the identity, every other path leads to the provider. */
export class OAuthStrategy extends passport.Strategy {
  readonly flow: OAuthFlow;

  constructor(flow: OAuthFlow) {
    super();
    this.name = flow.provider.name;
    this.flow = flow;
  }

  override authenticate(request: Request): void {
    const { flow } = this;
    const response = request.res;
    if (!response) throw new Error('Express gives each request its response.');
    if (request.path.endsWith('/callback')) {
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
