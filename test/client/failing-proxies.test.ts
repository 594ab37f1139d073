import { describe, expect, it } from "vitest";
import { clientWithCredentials } from "../support/clients/client-with-credentials.ts";
import { failingProxies, startProxy } from "../support/network/failing-proxies.ts";

describe.each(Object.entries(failingProxies))("a proxy that %s", (_, answer) => {
  it.each(["https:", "http:"])(
    "does not keep a call to an %s server open, and does not cause many retries",
    async (protocol) => {
      const proxy = await startProxy(answer);
      const { client } = clientWithCredentials(`${protocol}//api.example`, {
        proxy: { http: proxy.address, https: proxy.address },
        attempts: 1,
        timeoutMs: 300,
      });
      await expect(client.faqs.list()).rejects.toThrow();
      await expect.poll(() => proxy.open()).toBe(0);
      // There is no answer if this machine was too busy to connect in time.
      expect(proxy.connections()).toBeLessThanOrEqual(1);
    },
  );

  it("does not delay the end of a call whose signal aborts", async () => {
    const stop = new AbortController();
    const proxy = await startProxy(answer, () => stop.abort(new Error("enough")));
    const { client } = clientWithCredentials("https://api.example", { proxy: { https: proxy.address } });
    await expect(client.faqs.list({ signal: stop.signal })).rejects.toThrow("enough");
    await expect.poll(() => proxy.open()).toBe(0);
    expect(proxy.connections()).toBeLessThanOrEqual(4);
  });
});
