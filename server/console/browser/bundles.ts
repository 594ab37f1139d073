import { bundleForBrowsers } from "../../../build/browser.mjs";

/** The build puts the texts here, so that a server in use has no bundler. */
export const { script, docs, dev, style } = bundleForBrowsers();
