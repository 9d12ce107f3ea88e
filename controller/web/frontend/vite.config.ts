import { defineConfig } from "vitest/config";

export default defineConfig({
  base: "/static/",
  // The server delivers everything below /static under a policy of "self" only: no inlined assets.
  build: {
    outDir: "../static",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: ["index.html", "studio.html", "label.html"] },
  },
  test: {
    environment: "happy-dom",
    include: ["tests/**/*.test.{ts,tsx}"],
    setupFiles: ["tests/setup.ts"],
    restoreMocks: true,
    unstubGlobals: true,
  },
});
