import { infiniteQueryOptions } from '@tanstack/react-query';
import { call } from '../calls/call.ts';
import type { Deliveries, Delivery } from '../generated/api.ts';

const pageSize = 10;

/** The deliveries below a path such as `/api/webhooks/{id}`, the newest first. */
export const deliveriesQuery = (path: string) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', path],
    staleTime: 0,
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }) => {
      const after = pageParam && `&after=${encodeURIComponent(pageParam)}`;
      return (await call<Deliveries>(`${path}/deliveries?limit=${pageSize}${after}`, { signal })).body;
    },
    getNextPageParam: ({ next }) => next,
  });

export const sendTest = (path: string) => call(`${path}/test`, { method: 'POST' });

export const sendAgain = (path: string, id: string) =>
  call(`${path}/deliveries/${encodeURIComponent(id)}/resend`, { method: 'POST' });

export const isMoving = ({ state, attempts }: Delivery): boolean =>
  state === 'sending' || (state === 'waiting' && attempts === 0);
