import { describe, expect, it } from "vitest";
import type { TestBrowser } from "../../support/browser/browser.ts";
import { openPage } from "../../support/browser/browser-page.ts";
import { withBrowser } from "../../support/browser/with-browser.ts";
import { eventually } from "../../support/eventually.ts";
import { makeNoticedApp, passTime } from "../../support/mail/noticed-app.ts";
import type { Service } from "../../support/service/service.ts";
import { propose } from "../../support/worlds/app-with-owner-and-agent.ts";

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true };

describe("the link in a mail about a proposal", () => {
  let service: Service;
  let browser: TestBrowser;
  withBrowser(
    (started) => {
      ({ service, browser } = started);
    },
    { settings: { dev: true } },
  );

  /** A proposal, and the link to it in the mail to a maintainer. */
  async function mailedProposal() {
    const app = await makeNoticedApp(service);
    const kim = await app.join("maintainer");
    const runId = await propose(service, app, (await app.report({ subject: "Uploads" })).field("id"));
    await app.settled();
    await passTime(service, 15 * 60_000);
    const link = await eventually(async () => {
      const [mail] = await kim.mails();
      const found = /^http\S+#proposal$/m.exec(mail?.text ?? "")?.[0];
      if (found === undefined) throw new Error("No mail has come yet.");
      return found;
    });
    const statusOf = async () => {
      const [run] = await service.deps.database.all<{ status: string }>(
        "SELECT status FROM runs WHERE id = ?",
        runId,
      );
      return run?.status;
    };
    return { kim, link, statusOf };
  }

  it("opens the plan for a member on a phone, and a decision needs two taps", async () => {
    const { kim, link, statusOf } = await mailedProposal();
    const page = await openPage(browser, service, kim.headers, phone);
    await page.goto(link);
    const approve = page.getByRole("button", { name: "Approve this plan" });
    // The link is the first click, and this is the second one.
    await approve.tap();
    await page.getByText("Approved. The agent may now proceed.").waitFor();
    expect(await statusOf()).toBe("approved");
    await page.context().close();
  });

  it("does not decide alone, and asks a person without a session to sign in first", async () => {
    const { link, statusOf } = await mailedProposal();
    for (const method of ["GET", "HEAD"]) await fetch(link, { method });
    const page = await openPage(browser, service, {}, phone);
    await page.goto(link);
    await page.getByLabel("Password", { exact: true }).waitFor();
    expect(await statusOf()).toBe("awaiting_approval");
    await page.context().close();
  });
});
