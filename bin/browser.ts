import open from "open";

/** Opens an address in the browser of this person. */
export async function openBrowser(url: string): Promise<void> {
  const browser = await open(url);
  browser.on("error", () => {});
}
