import { existsSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sparticuz from "@sparticuz/chromium";
import { type BrowserContext, type BrowserContextOptions, chromium } from "playwright-core";

/** The time limit of a page in milliseconds. It is long, for slow machines. */
const patience = 120_000;

/** A headless Chromium with a new profile. It sends no requests by itself. */
export interface TestBrowser {
  /** A new profile in the same browser, without cookies and history. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  close(): Promise<void>;
}

export async function startBrowser(): Promise<TestBrowser> {
  const browser = await chromium.launch({
    executablePath: await browserPath(),
    headless: true,
    args: [
      "--headless=shell",
      "--no-sandbox",
      "--no-zygote",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-domain-reliability",
      "--disable-sync",
      "--no-pings",
      "--no-first-run",
      "--font-render-hinting=none",
    ],
  });
  return {
    async newContext(options) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
      context.setDefaultTimeout(patience);
      return context;
    },
    close: () => browser.close(),
  };
}

/** The browser, unpacked once for all runs. Several runs may unpack it at the same time. */
export async function browserPath(): Promise<string> {
  const home = join(tmpdir(), "innkeep-browser-147");
  const path = join(home, "chromium");
  if (existsSync(path)) return path;
  const own = await mkdtemp(join(tmpdir(), "innkeep-browser-"));
  const before = process.env.TMPDIR;
  process.env.TMPDIR = own;
  try {
    await sparticuz.executablePath();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
  // The first process renames it to its final name; the others find it there.
  await rename(own, home).catch(() => rm(own, { recursive: true, force: true }));
  return path;
}
