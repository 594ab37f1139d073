/** The bytes at an address; undefined if they cannot be had. */
export async function download(
  url: URL,
  most: number,
  signal: AbortSignal,
): Promise<Buffer | "too large" | undefined> {
  try {
    const response = await fetch(url, { signal, redirect: "error" });
    if (!response.ok || !response.body) return undefined;
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body) {
      size += chunk.length;
      if (size > most) return "too large";
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  }
}
