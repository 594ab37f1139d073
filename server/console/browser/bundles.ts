import { bundleForBrowsers } from "../../../build/browser.mjs";

/**
 * The build replaces this call with the texts of the bundled scripts and styles, so that a built server needs
 * no bundler.
 */
export const { script, docs, dev, worker, style } = bundleForBrowsers();
