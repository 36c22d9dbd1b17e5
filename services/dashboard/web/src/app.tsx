import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, Suspense } from 'react';
import { Link, Redirect, Route, Router, Switch, useLocation } from 'wouter';
import type { PageRead } from './inbox/inbox.ts';
import { InboxProvider } from './inbox/inbox-context.tsx';
import { InboxPage } from './inbox/inbox-page.tsx';
import { UnsentBar } from './inbox/unsent-bar.tsx';
import { CallError } from './relay/call.ts';
import { type AppContext, AppContextProvider } from './session/app-context.tsx';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { Page } from './shell/page.tsx';
import { routes } from './shell/routes.ts';
import { Shell } from './shell/shell.tsx';
import { lazyPage } from './ui/lazy-page.tsx';
import { Skeleton } from './ui/skeleton.tsx';

const KeysPage = lazyPage(async () => (await import('./keys/keys-page.tsx')).KeysPage);
const ConfirmEmailPage = lazyPage(
  async () => (await import('./endpoints/confirm-email-page.tsx')).ConfirmEmailPage,
);
const UnsentRequests = lazyPage(async () => (await import('./inbox/unsent-requests.tsx')).UnsentRequests);
const SettingsPage = lazyPage(async () => (await import('./settings/settings-page.tsx')).SettingsPage);

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // Events keep the data up to date, so no query is repeated automatically.
        staleTime: Number.POSITIVE_INFINITY,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        retry: (failures, error) => error instanceof CallError && error.isTemporary && failures < 5,
        retryDelay: (failures) => Math.min(15_000, 500 * 2 ** failures) * (0.5 + Math.random() / 2),
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
}

interface AppProps {
  readonly context: AppContext;
  readonly queries: QueryClient;
  /** The first page of the inbox, if it is being read. */
  readonly firstRead: Promise<PageRead> | undefined;
}

export function App({ context, queries, firstRead }: AppProps) {
  return (
    <QueryClientProvider client={queries}>
      <AppContextProvider context={context}>
        <Router base="/dashboard">
          <InboxProvider firstRead={firstRead}>
            <Shell
              bar={<UnsentBar />}
              unsentRequests={
                <Suspense>
                  <UnsentRequests />
                </Suspense>
              }
            >
              <PageErrorBoundary>
                <Suspense fallback={<Skeleton lines={['40%', '80%', '60%']} />}>
                  <Switch>
                    <Route path="/requests/:id?">{({ id }) => <InboxPage requestId={id} />}</Route>
                    <Route path={routes.keys} component={KeysPage} />
                    <Route path={routes.settings} component={SettingsPage} />
                    <Route path={routes.confirmEmail} component={ConfirmEmailPage} />
                    <Route path="/">
                      <Redirect to={routes.inbox} replace />
                    </Route>
                    <Route component={NotFoundPage} />
                  </Switch>
                </Suspense>
              </PageErrorBoundary>
            </Shell>
          </InboxProvider>
        </Router>
      </AppContextProvider>
    </QueryClientProvider>
  );
}

function NotFoundPage() {
  return (
    <Page title="There is no page at this address">
      <p>
        <Link href={routes.inbox}>Go to the inbox</Link>
      </p>
    </Page>
  );
}

/** Resets the error boundary when another page is opened. */
function PageErrorBoundary({ children }: { children: ReactNode }) {
  const [location] = useLocation();
  return <ErrorBoundary location={location}>{children}</ErrorBoundary>;
}
