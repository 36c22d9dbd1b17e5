import type { KeyKind } from '@expert-relay/kit/api-key';
import type { CallLabels } from '@expert-relay/kit/http';
import type { Principal } from '@expert-relay/kit/principal';
import type { NextFunction, Request, Response } from 'express';

export const upstreamNames = ['requests', 'messages', 'dashboard'] as const;

export type UpstreamName = (typeof upstreamNames)[number];

/** The contract's three rate limits. Only the most specific one counts a call. */
export const limitNames = ['pages', 'api', 'poll'] as const;

export type LimitName = (typeof limitNames)[number];

/** Where a call carries its API key, and which kinds of key are accepted. */
export interface KeyRule {
  readonly from: 'header' | 'body';
  readonly kinds: readonly KeyKind[];
  /** The key may be absent. One that is sent must be valid nevertheless. */
  readonly optional?: true;
}

/** One row of the gateway's table of routes. */
export interface EdgeRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `:name` matches one segment, a `*` at the end matches any rest. */
  readonly path: string;
  /** The service that answers; `gateway` is this process. */
  readonly to: UpstreamName | 'gateway';
  /** Without a rule the call is forwarded with the principal `nobody`. */
  readonly key?: KeyRule;
  /** Only where it is not the one that follows from the path. */
  readonly limit?: LimitName | 'none';
}

/** The routes of one path. */
export interface PathRoutes {
  /** As the table writes it: the label of metrics and access lines. */
  readonly template: string;
  readonly byMethod: ReadonlyMap<string, EdgeRoute>;
  /** The value of an `Allow` header. */
  readonly allow: string;
}

/** What the gateway knows of a call. Each step adds to it. */
export interface EdgeCall {
  readonly id: string;
  /** The address of the client, as far as the proxies before the gateway are trusted. */
  readonly client: string;
  readonly path: PathRoutes | undefined;
  readonly route: EdgeRoute | undefined;
  /** Set once the whole body was received. */
  body?: Buffer | undefined;
  principal?: Principal;
}

export type EdgeResponse = Response<unknown, CallLabels & { call: EdgeCall }>;

/** One step of a call through the gateway. */
export type EdgeStep = (request: Request, response: EdgeResponse, next: NextFunction) => void | Promise<void>;
