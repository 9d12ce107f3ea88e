import { defineConfig } from "vite";

// The server delivers everything below /static under a policy of "self" only: no inlined assets.
export default defineConfig({
  base: "/static/",
  build: { outDir: "../static", emptyOutDir: true, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
});
