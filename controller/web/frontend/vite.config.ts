import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** Lays a packed copy beside each text file of the build; fonts are packed already. */
const packed: Plugin = {
  name: "packed",
  apply: "build",
  writeBundle({ dir = "" }, bundle) {
    for (const [name, file] of Object.entries(bundle)) {
      if (!/\.(js|css|svg)$/.test(name)) continue;
      writeFileSync(
        join(dir, `${name}.gz`),
        gzipSync(file.type === "chunk" ? file.code : file.source, { level: 9 }),
      );
    }
  },
};

export default defineConfig({
  base: "/static/",
  plugins: [packed],
  // The server delivers everything below /static under a policy of "self" only: no inlined assets.
  build: {
    outDir: "../static",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: ["index.html", "pit.html", "studio.html"] },
  },
  test: {
    environment: "happy-dom",
    include: ["tests/**/*.test.{ts,tsx}"],
    setupFiles: ["tests/setup.ts"],
    // One page for all files of a worker: a process for each took half of the time, and on a busy machine some never began.
    isolate: false,
    testTimeout: 60_000,
    restoreMocks: true,
    unstubGlobals: true,
  },
});
