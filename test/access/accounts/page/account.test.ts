import { afterAll, beforeAll, expect, it } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import { approve, exchange, newDevice } from "../../../support/sign-in/device-sign-in.ts";
import { cookieOf, makeAccount, postSession } from "../../../support/sign-in/password-accounts.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

async function personWithThreeBrowsers() {
  const account = await makeAccount(service);
  const open = async (userAgent: string) => ({
    origin: service.baseUrl,
    cookie: cookieOf(await postSession(service, account, { "user-agent": userAgent })),
  });
  const here = await open("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0");
  await open("curl/8.14.1");
  await open("");
  return { here, person: createBrowserWithoutScripts(service, here) };
}

it("the account page shows each browser, and can end the session of one browser", async () => {
  const { person } = await personWithThreeBrowsers();
  const page = await person.open("/console/account");
  for (const words of ["Firefox on Linux This browser", "curl", "An unknown browser"])
    expect(readingOf(page)).toContain(words);
  const action = /action="([^"]*\/end)"/.exec(page.text)?.[1] ?? "";
  const done = await person.follow(await person.send(page, action));
  expect(done.text.match(/\/end"/g)).toHaveLength(1);
});

it("the account page ends all other sessions, and then has no button for this", async () => {
  const { person } = await personWithThreeBrowsers();
  const action = "/console/account/end-other-sessions";
  const done = await person.follow(await person.send(await person.open("/console/account"), action));
  expect(readingOf(done)).toContain("This browser");
  expect(done.text).not.toContain(action);
});

it("the account page names the devices, and links to the page where they can be signed out", async () => {
  const { here, person } = await personWithThreeBrowsers();
  const device = await newDevice();
  await exchange(service, device, await approve(service, here, device, { name: "Lantern <phone>" }));
  const page = await person.open("/console/account");
  expect(readingOf(page)).toContain("Lantern <phone>");
  expect(page.text).toContain('href="/console/devices"');
});
