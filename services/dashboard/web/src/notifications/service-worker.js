import { showHidden } from '@expert-relay/sdk/safe';
import { isolate } from '../ui/isolated-in.ts';

// Shows notifications: of the relay, which arrive as push messages also while no page is open, and of an open page. And keeps the
// page, so that it opens while the relay cannot be reached, and says so. Its scripts and styles are in the browser's own cache.

addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(activate()));

async function activate() {
  // So a page does not wait until this worker has started.
  await registration.navigationPreload?.enable();
  await clients.claim();
}

/** All addresses have the same page. */
const page = '/dashboard/';

addEventListener('fetch', (event) => {
  if (event.request.mode === 'navigate') event.respondWith(openPage(event));
});

async function openPage(event) {
  try {
    const response = (await event.preloadResponse) ?? (await fetch(event.request));
    const isPage = response.ok && response.headers.get('content-type')?.startsWith('text/html');
    if (isPage) event.waitUntil(keepPage(response.clone()));
    return response;
  } catch (error) {
    const kept = await caches.match(page);
    if (kept) return kept;
    throw error;
  }
}

async function keepPage(response) {
  await (await caches.open('page')).put(page, response);
}

/** The open pages of all windows. */
const openPages = async () => {
  const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  return windows.filter(({ url }) => url.startsWith(registration.scope));
};

const isPageVisible = async () =>
  (await openPages()).some(({ visibilityState }) => visibilityState === 'visible');

/**
 * Each request has one notification: a later one replaces it. Agents have written parts of it, and nothing compares what arrives by
 * push with the request.
 */
const show = (title, { requestId, url, body, ...options }) =>
  registration.showNotification(isolate(showHidden(title).replaceAll('\n', ' ')), {
    body: isolate(showHidden(body)),
    icon: '/dashboard/icons/icon-192.png',
    tag: requestId ?? url,
    renotify: !options.silent,
    data: { requestId, url },
    ...options,
  });

// Of an open page.
addEventListener('message', (event) => event.waitUntil(showOfPage(event.data)));

async function showOfPage({ title, body, requestId }) {
  // The expert sees it in the list.
  if (!(await isPageVisible())) await show(title, { body, requestId, url: addressOf(requestId) });
}

const addressOf = (requestId) => `/dashboard/requests/${encodeURIComponent(requestId)}`;

// Of the relay.
addEventListener('push', (event) => event.waitUntil(showPush(event.data)));

/** Browsers end a subscription if a push message shows no notification, so an unreadable one is shown too. */
async function showPush(data) {
  const message = readJson(data);
  const silent = await isPageVisible();
  if (message.type === 'test') {
    await show('Notifications work', {
      body: 'This is the test that you have sent from Expert Relay.',
      url: '/dashboard/settings',
    });
    return;
  }
  const { requestId, refCode, title, question } = message;
  await show(title || 'An agent asks a question', {
    body: [refCode, question && shorten(String(question))].filter(Boolean).join('\n'),
    requestId,
    url: requestId ? addressOf(requestId) : '/dashboard/requests',
    silent,
  });
  // The number is known to pages only. They show it when they open.
  if (!silent) await navigator.setAppBadge?.();
}

function readJson(data) {
  try {
    return data.json() ?? {};
  } catch {
    return {};
  }
}

const maxQuestion = 200;
const shorten = (text) =>
  text.length <= maxQuestion ? text : `${text.slice(0, maxQuestion).replace(/[\uD800-\uDBFF]$/, '')}…`;

addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});

async function open({ requestId, url }) {
  const [first] = await openPages();
  if (!first) {
    await clients.openWindow(url);
    return;
  }
  if (requestId) first.postMessage({ type: 'open-request', requestId });
  await first.focus();
}

// The browser has replaced or ended the subscription. Without a session, the page registers it when it opens.
addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(event)));

async function renew({ oldSubscription, newSubscription }) {
  const state = await call('GET', '/api/notifications');
  if (!state?.pushKey) return;
  const options = { userVisibleOnly: true, applicationServerKey: state.pushKey };
  const subscription = newSubscription ?? (await registration.pushManager.subscribe(options));
  const digest = oldSubscription && (await digestOf(oldSubscription.endpoint));
  const old = digest && state.channels.find(({ subscriptionDigest }) => subscriptionDigest === digest);
  const { label, delaySeconds, showQuestion } = old || {};
  const body = { kind: 'push', subscription, pushKey: state.pushKey, label, delaySeconds, showQuestion };
  const renewed = await call('POST', '/api/notifications/channels', body);
  if (old && renewed && renewed.id !== old.id) await call('DELETE', `/api/notifications/channels/${old.id}`);
}

async function call(method, path, body) {
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const answer = await fetch(path, {
    method,
    headers,
    redirect: 'error',
    ...(body && { body: JSON.stringify(body) }),
  });
  return answer.ok && answer.status !== 204 ? await answer.json() : undefined;
}

async function digestOf(text) {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
