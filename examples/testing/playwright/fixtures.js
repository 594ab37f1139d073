import { test as base } from "@playwright/test";
import { startInnkeep } from "innkeep/testing";
import { createApp } from "./app.js";

/** One server for each worker, so that workers do not disturb each other. It starts again for each test. */
export const test = base.extend({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern
    async ({}, use) => {
      const innkeep = await startInnkeep();
      await use(innkeep);
      await innkeep.stop();
    },
    { scope: "worker" },
  ],
  innkeep: async ({ server }, use) => {
    await server.reset();
    await use(server);
  },
  appUrl: async ({ innkeep }, use) => {
    const app = createApp(innkeep);
    await new Promise((resolve) => app.listen(0, "127.0.0.1", resolve));
    await use(`http://127.0.0.1:${app.address().port}`);
    app.closeAllConnections();
    await new Promise((resolve) => app.close(resolve));
  },
});
