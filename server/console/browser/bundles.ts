import { bundleForBrowsers } from "../../../build/browser.mjs";

/** The build replaces this call with the bundled scripts and styles. A built server needs no bundler. */
export const { script, docs, dev, worker, style } = bundleForBrowsers();
