import { defineConfig } from "@playwright/test";

export default defineConfig({
  // Where the browser is, if Playwright has not downloaded one.
  use: { launchOptions: { executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] } },
});
