import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLinks } from "../../../server/console/links.ts";
import { forms, uploadForms } from "../../../server/console/routes.ts";
import { readingOf } from "../../support/browser/browser-without-scripts.ts";
import { unknownId } from "../../support/service/endpoints.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeAccount, type TestAccount } from "../../support/sign-in/password-accounts.ts";

describe("a form whose action failed", () => {
  let service: Service;
  let account: TestAccount;
  beforeAll(async () => {
    service = await startService();
    account = await makeAccount(service);
  });
  afterAll(() => service.stop());

  const links = createLinks("/console");
  const withFiles = uploadForms.map(({ at, notDone }) => [at(links), notDone] as const);
  const all = forms.map(({ at, notDone }) => [at(links).replace(/:\w+/g, unknownId), notDone] as const);
  const post = (path: string, fields: Record<string, string>, headers: object = {}) =>
    service.request("POST", path, {
      headers: {
        accept: "text/html",
        origin: service.baseUrl,
        "content-type": "application/x-www-form-urlencoded",
        referer: `${service.baseUrl}/console/account`,
        ...headers,
      },
      body: new URLSearchParams(fields).toString(),
    });

  it("shows a message if the session has ended, before and after the sign-in", async () => {
    const { email, password } = account;
    const signIn = { email, password, to: "/console", "kept-page": "/console/account" };
    for (const [path, words] of all) {
      const refused = await post(path, {});
      expect([path, refused.status]).toEqual([path, 401]);
      expect(readingOf(refused)).toContain(`Your session has ended. ${words}`);
      const act = /name="kept-act" value="(\w+)"/.exec(refused.text)?.[1] ?? "";
      if (path !== all[0]?.[0]) continue;
      const signedIn = await post("/console/sign-in", { ...signIn, "kept-act": act, "kept-action": path });
      expect(readingOf(signedIn)).toContain(`Your session had ended. ${words}`);
    }
  });

  it("shows a message if the session has ended and the form has a file, which the server does not read", async () => {
    for (const [path, words] of withFiles) {
      const refused = await post(path, {});
      expect([path, refused.status]).toEqual([path, 401]);
      expect(readingOf(refused)).toContain(`Your session has ended. ${words}`);
      expect(refused.text).toContain('name="to" value="/console/account"');
    }
  });

  it("shows a message if it comes from a page of another server", async () => {
    const headers = { ...(await service.signIn(account)), origin: "https://evil.example" };
    for (const [path, words] of [...all, ...withFiles]) {
      const refused = readingOf(await post(path, {}, headers));
      expect(refused).toContain("Not allowed");
      expect(refused).toContain(words);
      expect(refused).toContain("Back to the page");
    }
  });
});
