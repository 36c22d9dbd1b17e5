import type { KeyKind } from '@expert-relay/kit/api-key';
import type { LimitName } from './rate-limit/limit-name.ts';

export const upstreamNames = ['requests', 'messages', 'dashboard'] as const;

export type UpstreamName = (typeof upstreamNames)[number];

/** Where a call carries its API key, and which kinds are taken. */
export interface KeyRule {
  readonly from: 'header' | 'body';
  readonly kinds: readonly KeyKind[];
  /** It may be left out; one that is presented must be valid nevertheless. */
  readonly optional?: true;
}

/** One row of the edge's table: what is reachable, and where it leads. */
export interface EdgeRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `:name` stands for one segment, a `*` at the end for whatever follows. */
  readonly path: string;
  /** `gateway` answers itself. */
  readonly to: UpstreamName | 'gateway';
  /** Without a rule the call is forwarded as nobody's. */
  readonly key?: KeyRule;
  /** Given where it is not the one that the path implies. */
  readonly limit?: LimitName | 'none';
}
