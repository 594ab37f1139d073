import { describe, expect, it } from "vitest";
import {
  callbackAddress,
  connectAddress,
  startAddress,
} from "../../../../server/access/identity-providers/flow.tsx";
import { createBrowserWithCookies } from "../../../support/browser/browser-with-cookies.ts";
import { startService } from "../../../support/service/service.ts";
import {
  faultyProviderClient,
  startFaultyProvider,
} from "../../../support/sign-in/faulty-identity-provider.ts";

describe("the addresses for identity providers", () => {
  it.each([
    ["one host", "https://inn.example", "https://inn.example/console", "https://inn.example", ""],
    ["a path", "https://a.example/inn", "https://a.example/inn/console", "https://a.example/inn", "/inn"],
    ["a host of the console", "https://api.example", "https://desk.example", "https://desk.example", ""],
  ])("belong to the console if the deployment has %s", (_, baseUrl, consoleUrl, before, path) => {
    const settings = { baseUrl, consoleUrl };
    expect(callbackAddress(settings, "inn")).toBe(`${before}/tavern/with/inn/callback`);
    expect(startAddress(settings, "inn", "/a?b=c&d")).toBe(`${before}/tavern/with/inn?to=%2Fa%3Fb%3Dc%26d`);
    expect(startAddress(settings, "inn", "")).toBe(`${before}/tavern/with/inn`);
    expect(connectAddress(settings, "inn")).toBe(`${path}/tavern/with/inn/connect`);
  });

  it("store the sign-in on https in a host cookie that is never sent over http", async () => {
    const provider = await startFaultyProvider();
    const identityProviders = [
      { id: "inn", name: "Inn ID", issuer: provider.issuer, ...faultyProviderClient },
    ];
    const consoleUrl = "https://desk.example";
    const service = await startService({ settings: { consoleUrl, identityProviders } });
    const { headers, location } = await createBrowserWithCookies().step(`${service.baseUrl}/tavern/with/inn`);
    expect(headers.get("set-cookie")).toMatch(
      /^__Host-innkeep-with=.+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    const back = new URL(location).searchParams.get("redirect_uri");
    expect(back).toBe("https://desk.example/tavern/with/inn/callback");
    await Promise.all([service.stop(), provider.stop()]);
  });
});
