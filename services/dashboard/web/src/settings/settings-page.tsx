import { Page } from '../app/page.tsx';

export function SettingsPage() {
  return <Page title="Settings">{null}</Page>;
}
