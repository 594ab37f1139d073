import sparticuz from "@sparticuz/chromium";
import { chromium } from "playwright-core";

/** Starts a headless Chromium. It downloads nothing. */
export async function startBrowser() {
  const args = [
    "--headless=shell",
    "--no-sandbox",
    "--no-zygote",
    "--disable-gpu",
    "--disable-dev-shm-usage",
  ];
  return chromium.launch({ executablePath: await sparticuz.executablePath(), headless: true, args });
}
