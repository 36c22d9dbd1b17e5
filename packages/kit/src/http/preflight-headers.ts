/** The contract's response to a CORS preflight from an allowed origin, the same at the gateway and the hub. */
export const preflightHeaders = {
  'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
  'access-control-allow-headers': 'Content-Type, Authorization, x-api-key',
  'access-control-max-age': '86400',
};
