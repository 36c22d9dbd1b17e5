import express, { type Express } from 'express';

/** Express with nothing switched on that we do not use. */
export function bareApp(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.enable('case sensitive routing');
  return app;
}
