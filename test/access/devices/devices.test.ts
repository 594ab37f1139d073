import { describe, expect, it } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { startService } from "../../support/service/service.ts";
import { approve, exchange, newDevice } from "../../support/sign-in/device-sign-in.ts";

describe("the devices in the console", () => {
  it("are listed, and can be signed out one by one", async () => {
    const service = await startService();
    const headers = await service.signIn(await service.makeUser());
    const owner = createBrowserWithoutScripts(service, headers);
    expect(readingOf(await owner.open("/console/devices"))).toContain("No device is signed in");
    const device = await newDevice();
    await exchange(service, device, await approve(service, headers, device, { name: "Lantern <phone>" }));
    const page = await owner.open("/console/devices");
    expect(readingOf(page)).toContain("Lantern <phone>");
    const action = /action="([^"]*\/sign-out)"[^>]*><p/.exec(page.text)?.[1] ?? "";
    const done = await owner.follow(await owner.send(page, action));
    expect(readingOf(done)).toContain("No device is signed in");
    await service.stop();
  });
});
