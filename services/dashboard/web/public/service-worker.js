// Shows the notifications of the experts' pages while one of them is open. It caches no files: they always come from
// the relay.

addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));

/** The open pages of all windows. */
const openPages = async () => {
  const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  return windows.filter(({ url }) => url.startsWith(registration.scope));
};

addEventListener('message', (event) => event.waitUntil(show(event.data)));

async function show({ title, body, requestId }) {
  const pages = await openPages();
  // The expert sees it in the list.
  if (pages.some(({ visibilityState }) => visibilityState === 'visible')) return;
  await registration.showNotification(title, {
    body,
    icon: '/dashboard/icons/icon-192.png',
    // Each request has one notification: a later one replaces it.
    tag: requestId,
    renotify: true,
    data: { requestId },
  });
}

addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openRequest(event.notification.data.requestId));
});

async function openRequest(requestId) {
  const [page] = await openPages();
  if (!page) {
    await clients.openWindow(`/dashboard/requests/${encodeURIComponent(requestId)}`);
    return;
  }
  page.postMessage({ type: 'open-request', requestId });
  await page.focus();
}
