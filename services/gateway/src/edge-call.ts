import type { CallLabels } from '@expert-relay/kit/http';
import type { Principal } from '@expert-relay/kit/principal';
import type { NextFunction, Request, Response } from 'express';
import type { EdgeRoute } from './edge-route.ts';
import type { Place } from './target/route-finder.ts';

/** What the edge knows of a call, filled in from step to step. */
export interface EdgeCall {
  readonly id: string;
  /** The address that the call came from, as far as the proxies before us are trusted. */
  readonly client: string;
  readonly place: Place | undefined;
  readonly route: EdgeRoute | undefined;
  /** Set once all of it was received. */
  body?: Buffer | undefined;
  principal?: Principal;
}

export type EdgeResponse = Response<unknown, CallLabels & { call: EdgeCall }>;

/** One step of the edge. */
export type EdgeStep = (request: Request, response: EdgeResponse, next: NextFunction) => void | Promise<void>;
