import { changePreferences } from '../storage/preferences.ts';

/** A notification about one request. */
export interface Notice {
  readonly title: string;
  readonly body: string;
  readonly requestId: string;
}

const scriptUrl = `${import.meta.env.BASE_URL}service-worker.js`;

interface ScriptUrlPolicy {
  createScriptURL(url: string): string;
}
const { trustedTypes } = globalThis as {
  trustedTypes?: { createPolicy(name: string, rules: ScriptUrlPolicy): ScriptUrlPolicy };
};

/** The content security policy of the page allows a script's URL only from this policy. */
const policy: ScriptUrlPolicy | undefined = trustedTypes?.createPolicy('expert-relay', {
  createScriptURL(url) {
    if (url !== scriptUrl) throw new TypeError(`${url} is not the service worker.`);
    return url;
  },
});

export const isSupported = (): boolean => 'Notification' in globalThis && 'serviceWorker' in navigator;

/** Asks for permission if the expert has not decided yet. Call it from a click. */
export async function askForNotifications(): Promise<'granted' | 'denied' | 'unsupported' | 'failed'> {
  if (!isSupported()) return 'unsupported';
  if ((await Notification.requestPermission()) !== 'granted') return 'denied';
  return startWorker().then(
    () => 'granted',
    () => 'failed',
  );
}

/** Shows a notification, unless a page of the app is visible or permission is missing. */
export async function notify(notice: Notice): Promise<void> {
  if (!isSupported() || Notification.permission !== 'granted') return;
  const worker = await startWorker();
  worker?.postMessage(notice);
}

let showRequest: ((requestId: string) => void) | undefined;
let clickedRequest: string | undefined;

/** Follows clicks on notifications. A click before the inbox is shown is kept: the browser reports it only once. */
export function followNotificationClicks(): void {
  navigator.serviceWorker?.addEventListener('message', ({ data }) => {
    if (data?.type !== 'open-request' || typeof data.requestId !== 'string') return;
    clickedRequest = data.requestId;
    openClicked();
  });
}

/** Calls `open` when the expert clicks a notification. Returns a function that stops it. */
export function onNotificationClick(open: (requestId: string) => void): () => void {
  showRequest = open;
  openClicked();
  return () => {
    if (showRequest === open) showRequest = undefined;
  };
}

function openClicked(): void {
  if (!showRequest || clickedRequest === undefined) return;
  showRequest(clickedRequest);
  clickedRequest = undefined;
}

/** Closes the notification of a request that is open now. */
export async function closeNotification(requestId: string): Promise<void> {
  const worker = await globalThis.navigator.serviceWorker?.getRegistration();
  for (const notification of (await worker?.getNotifications({ tag: requestId })) ?? []) notification.close();
}

/** Shows the number of waiting requests on the app's icon, where the browser can. */
export function showBadge(count: number): void {
  void navigator.setAppBadge?.(count).catch(() => {});
}

/** After a sign-out nothing of the user is shown in this browser: notifications name requests, and may show questions. */
export async function endNotifications(): Promise<void> {
  changePreferences({ notifications: 'off', pushDigest: undefined });
  showBadge(0);
  const worker = await globalThis.navigator.serviceWorker?.getRegistration();
  for (const notification of (await worker?.getNotifications()) ?? []) notification.close();
  await (await worker?.pushManager?.getSubscription())?.unsubscribe();
}

export async function startWorker(): Promise<ServiceWorker | null> {
  await navigator.serviceWorker.register(policy?.createScriptURL(scriptUrl) ?? scriptUrl);
  return (await navigator.serviceWorker.ready).active;
}
