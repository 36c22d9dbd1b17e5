import type { ServiceName } from '../local/services.ts';

export type Release = 'older' | 'newer';

/**
 * Services that cannot run in both releases beside each other, which no change after the first release may cause. An
 * entry counts where the older commit was made before `since`.
 */
export const runAlone: readonly {
  readonly service: ServiceName;
  readonly release: Release;
  readonly since: string;
  readonly reason: string;
}[] = [
  {
    service: 'dashboard',
    release: 'newer',
    since: 'ce1653d7c7d0e1dfb841daf23294a1887266d892',
    reason:
      'Sessions name the identity that signed in, and sessions without one are refused. Before, only the local run ' +
      'had sessions.',
  },
];
