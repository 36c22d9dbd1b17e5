import type { KeyKind } from '@expert-relay/kit/api-key';
import type { CallLabels } from '@expert-relay/kit/http';
import type { Principal } from '@expert-relay/kit/principal';
import type { NextFunction, Request, Response } from 'express';

export const upstreamNames = ['requests', 'messages', 'dashboard', 'notifier'] as const;

export type UpstreamName = (typeof upstreamNames)[number];

/** The three rate limits of the contract. A call counts for the most specific one only. */
export const limitNames = ['pages', 'api', 'poll'] as const;

export type LimitName = (typeof limitNames)[number];

/** Where a call carries its API key, and which kinds of key are accepted. */
export interface KeyRule {
  readonly from: 'header' | 'body';
  readonly kinds: readonly KeyKind[];
  /** The key may be absent. A key that is sent must be valid. */
  readonly optional?: true;
}

/** One row of the gateway's table of routes. */
export interface EdgeRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `:name` matches one segment, and `*` at the end matches any rest. */
  readonly path: string;
  /** The service that responds. For `gateway`, the handler is in `app.ts`. */
  readonly to: UpstreamName | 'gateway';
  /** Without a rule the call is forwarded with the principal `nobody`. */
  readonly key?: KeyRule;
  /** The default is `api` for paths below /api/v1/, and `pages` for others. */
  readonly limit?: LimitName | 'none';
}

/** The routes that have the same path. */
export interface PathRoutes {
  /** The path in the table of routes, which metrics and access lines have as a label. */
  readonly template: string;
  readonly byMethod: ReadonlyMap<string, EdgeRoute>;
  /** The value of an `Allow` header. */
  readonly allow: string;
}

/** The state of a call in the gateway. The steps in `app.ts` add to it. */
export interface EdgeCall {
  readonly id: string;
  /** The address of the client, according to the trusted proxies in front of the gateway. */
  readonly client: string;
  /** Undefined for an unknown path. */
  readonly pathRoutes: PathRoutes | undefined;
  /** Undefined for an unknown path, and for a method that the path does not accept. */
  readonly route: EdgeRoute | undefined;
  /** Set once the whole body was received, until a service has it. */
  body?: Buffer | undefined;
  /** Set by `receive-body.ts`, whose memory it frees. */
  freeBody?: () => void;
  principal?: Principal;
  /** Set by `limit-rate.ts`: the key that the call already counts for. */
  countedKey?: string;
  /** Set by `limit-rate.ts`: takes back that the call counts for its address. */
  uncountAddress?: () => void;
}

export type EdgeResponse = Response<unknown, CallLabels & { call: EdgeCall }>;

/** One step of a call through the gateway. */
export type EdgeStep = (request: Request, response: EdgeResponse, next: NextFunction) => void | Promise<void>;
