import open from "open";

/** Opens an address in the default browser. Ignores all errors of the browser. */
export async function openBrowser(url: string): Promise<void> {
  const browser = await open(url);
  browser.on("error", () => {});
}
