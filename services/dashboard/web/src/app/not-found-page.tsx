import { Link } from 'wouter';
import { Page } from './page.tsx';
import { routes } from './routes.ts';

export function NotFoundPage() {
  return (
    <Page title="There is no page at this address">
      <p>
        <Link href={routes.inbox}>Go to the inbox</Link>
      </p>
    </Page>
  );
}
