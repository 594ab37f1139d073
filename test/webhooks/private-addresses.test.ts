import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../support/eventually.ts";
import { startReceiver } from "../support/network/event-receiver.ts";
import { startService } from "../support/service/service.ts";
import { makeTeam } from "../support/worlds/members/team.ts";
import { sendFeedback } from "../support/worlds/owner-with-one-of-each.ts";

const refusal = "The address is in a private network";

async function failureAt(
  url: string,
  settings: { readonly privateWebhooks?: boolean; readonly dev?: boolean } = {},
) {
  const service = await startService({ settings });
  onTestFinished(() => service.stop());
  const team = await makeTeam(service);
  const made = await team.call("POST", `${team.at}/webhooks`, { url });
  await sendFeedback(service, team.app.key);
  return eventually(async () => {
    const path = `${team.at}/webhooks/${made.field("id")}/deliveries`;
    const { attempts } = Object((await team.call("GET", path)).body).items[0];
    expect(attempts).not.toEqual([]);
    return attempts[0];
  });
}

describe("a webhook in a private network", () => {
  it.each([
    "http://127.0.0.1:1/x",
    "http://localhost:1/x",
    "http://[::1]:1/x",
    "http://10.1.2.3/x",
    "http://169.254.169.254/latest/meta-data",
    "http://[::ffff:192.168.0.1]/x",
    "http://0.0.0.0:1/x",
    "http://2130706433/x",
    "http://0x7f.1/x",
    "http://[fd00::1]/x",
  ])("at %s is refused unless the deployment allows it", async (url) => {
    expect(await failureAt(url)).toMatchObject({ status: null, error: refusal, answer: null });
  });

  it("is called if the deployment allows it", async () => {
    const receiver = await startReceiver();
    expect(await failureAt(receiver.url, { privateWebhooks: true })).toMatchObject({ status: 200 });
  });

  it("is called by a development server only on the same machine", async () => {
    const receiver = await startReceiver();
    expect(await failureAt(receiver.url.replace("127.0.0.1", "localhost"), { dev: true })).toMatchObject({
      status: 200,
    });
    expect(await failureAt("http://10.1.2.3/x", { dev: true })).toMatchObject({
      error: "The development server sends only to addresses of this machine",
    });
    expect(await failureAt("https://192.0.2.1/x", { dev: true })).toMatchObject({
      error: "The development server sends only to addresses of this machine",
    });
  });
});
