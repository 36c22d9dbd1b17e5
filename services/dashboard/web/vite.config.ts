import { defineConfig } from 'vite';

export default defineConfig({
  base: '/dashboard/',
  resolve: { conditions: ['relay-source'] },
  build: {
    // What runs WebCrypto with X25519 runs this too.
    target: ['chrome137', 'firefox136', 'safari17.4'],
    assetsDir: 'assets',
    // Everything comes from files: the policy of the page allows no inlined data.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
  },
});
