import { showHidden } from '@expert-relay/sdk/safe';
import { useMemo } from 'react';
import { allFilter, useListAddress } from '../shell/list-address.ts';
import { useStore } from '../ui/store.ts';
import { useInbox } from './inbox-context.tsx';
import { type Facets, filters, type Listing } from './rows.ts';

/** What the list shows without a search, by the address of the page. */
export function useListing() {
  const { query, hrefOf } = useListAddress();
  return useMemo(() => {
    const [named, keyId, tag] = ['filter', 'keyId', 'tag'].map((name) => query.get(name));
    const facets: Facets = { ...(keyId && { keyId }), ...(tag && { tag }) };
    const filter = filters.find((name) => name === named) ?? 'waiting';
    const listing: Listing = named === allFilter ? facets : { filter, ...facets };
    return { listing, facets, hasFacets: Boolean(keyId || tag), hrefOf };
  }, [query, hrefOf]);
}

/** The names of the agent and the tag to whose requests the list is limited. */
export function useFacetNames() {
  const { inbox } = useInbox();
  const { keyId, tag } = useListing().facets;
  // A refused request has no names.
  const row = useStore(inbox.rows).find(({ agent }) => agent.keyId === keyId && agent.name);
  return {
    ...(keyId && { agent: showHidden(row?.agent.name ?? '…') }),
    ...(tag && { tag: showHidden(tag) }),
  };
}
