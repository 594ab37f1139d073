import open from "open";

/** Opens an address in the default browser. Does nothing if the browser cannot be started. */
export async function openBrowser(url: string): Promise<void> {
  const browser = await open(url);
  browser.on("error", () => {});
}
