import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { startBrowser, type TestBrowser } from "../../support/browser/browser.ts";
import { openPage } from "../../support/browser/browser-page.ts";
import { sqlite } from "../../support/database/databases.ts";
import { startService } from "../../support/service/service.ts";
import { type Look, looks, pictureOf } from "./picture-names.ts";
import { findPlaces, type Places } from "./places.ts";
import { type ConsoleScene, consoleScenes } from "./scenes.ts";

/** Draws the pictures of the console in `folder`: every page of the demo, in a real browser. */
export async function drawConsole(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const service = await startService({ database: await sqlite.createEmpty() });
  const browser = await startBrowser();
  try {
    const places = await findPlaces(service);
    for (const look of looks) {
      for (const scene of consoleScenes) {
        const page = await openScene({ browser, baseUrl: service.baseUrl }, { places, scene, look });
        await writeFile(join(folder, pictureOf(scene, look)), await webpOf(page));
        await page.context().close();
      }
    }
  } finally {
    await browser.close();
    await service.stop();
  }
}

interface Drawing {
  readonly places: Places;
  readonly scene: ConsoleScene;
  readonly look: Look;
}

async function openScene(
  { browser, baseUrl }: { readonly browser: TestBrowser; readonly baseUrl: string },
  { places, scene, look: { device, theme, viewport } }: Drawing,
): Promise<Page> {
  const isOpen = !scene.page.startsWith("/") && !["device", "consent"].includes(scene.page);
  const options = { viewport, colorScheme: theme };
  const page = await openPage(browser, { baseUrl }, isOpen ? {} : places.owner, options);
  const answer = await page.goto(addressOf(scene, places, device));
  if (answer?.status() !== 200) throw new Error(`The page ${scene.name} answers ${answer?.status()}.`);
  return page;
}

function addressOf(
  { page, name }: ConsoleScene,
  { linked, unlinked }: Places,
  device: Look["device"],
): string {
  const pattern = new RegExp(`^${page.replace(/:[^/]+/g, "(?!new$)[^/?]+")}$`);
  const found = unlinked[`${page} ${device}`] ?? unlinked[page] ?? linked.find((path) => pattern.test(path));
  if (found === undefined) throw new Error(`The demo has no page for the picture ${name} (${page}).`);
  return found;
}

/** The visible part of a page, in a format that is small: the repository keeps every version. */
async function webpOf(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 82 });
  return Buffer.from(data, "base64");
}
