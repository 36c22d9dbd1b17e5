/** Where a path of the session API is answered: each action exists once, in the service that owns it. */
export interface Action {
  method: 'get' | 'post' | 'put' | 'delete';
  path: string;
  service: 'requests' | 'messages';
  /** The owner's path; parameters stand in it by the same name. */
  to: string;
}

export const sessionActions: readonly Action[] = [
  { method: 'get', path: '/api/requests', service: 'requests', to: '/api/v1/requests' },
  { method: 'get', path: '/api/requests/counts', service: 'requests', to: '/internal/requests/counts' },
  { method: 'get', path: '/api/requests/:id', service: 'messages', to: '/api/v1/messages/:id' },
  {
    method: 'post',
    path: '/api/requests/:id/key-exchange',
    service: 'requests',
    to: '/api/v1/key-exchange/:id',
  },
  { method: 'post', path: '/api/requests/:id/messages', service: 'messages', to: '/api/v1/message/:id' },
  { method: 'post', path: '/api/requests/:id/close', service: 'requests', to: '/api/v1/close/:id' },
  { method: 'get', path: '/api/keys', service: 'requests', to: '/internal/keys' },
  { method: 'post', path: '/api/keys', service: 'requests', to: '/internal/keys' },
  { method: 'put', path: '/api/keys/:id', service: 'requests', to: '/internal/keys/:id' },
  { method: 'delete', path: '/api/keys/:id', service: 'requests', to: '/internal/keys/:id' },
  { method: 'post', path: '/api/keys/:id/rotate', service: 'requests', to: '/internal/keys/:id/rotate' },
  { method: 'post', path: '/api/stream-token', service: 'requests', to: '/api/v1/stream-token' },
  { method: 'get', path: '/api/vault', service: 'requests', to: '/api/v1/vault' },
  { method: 'put', path: '/api/vault', service: 'requests', to: '/api/v1/vault' },
];
