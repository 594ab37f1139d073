import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { type Service, startService } from "../../support/service/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ settings: { dev: true } });
});
afterAll(() => service.stop());

async function ownersLine() {
  const owner = await service.makeUser();
  const app = await service.makeApp(owner, { name: "Larder" });
  const line = await createCommandLine({
    INNKEEP_BASE_URL: service.baseUrl,
    INNKEEP_TOKEN: await service.makeToken(owner, "maintainer", {
      scopes: ["feedback:read", "feedback:write", "apps:read"],
    }),
  });
  return { app, line };
}

describe("the command innkeep notice", () => {
  it("lists the notices of the user, and changes them for one app", async () => {
    const { app, line } = await ownersLine();
    const listed = await line.run(["notice", "list"]);
    expect(listed.stdout).toContain("Larder\tanswer\tmail, browser\tyes\n");
    expect(listed.stdout).toContain("Larder\treport\tnone\tyes\n");
    expect(listed.stderr).toContain("Your time zone is UTC, with no quiet hours.");
    expect(listed.stderr).toContain("Your address is not verified");
    const set = ["notice", "set", "report", "answer", "--by", "daily", "--app", app.id];
    expect((await line.run(set)).exit).toBe(0);
    const storm = ["notice", "set", "storm", "--by", "none", "--per-hour", "30", "--app", "Larder"];
    expect((await line.run([...storm, "--json"])).json()).toMatchObject({ apps: [{ stormPerHour: 30 }] });
    const after = (await line.run(["notice", "list", "--app", "Larder"])).stdout;
    expect(after).toContain("Larder\treport\tdaily\tno\n");
    expect(after).toContain("Larder\tstorm\tnone\tno\n");
    await line.run(["notice", "set", "answer", "--by", "default", "--app", "Larder"]);
    expect((await line.run(["notice", "list"])).stdout).toContain("Larder\tanswer\tmail, browser\tyes\n");
  });

  it("changes the time zone and the quiet hours", async () => {
    const { line } = await ownersLine();
    const set = await line.run(["notice", "set", "--timezone", "Asia/Tokyo", "--quiet", "22:00-07:00"]);
    expect(set.stdout).toContain("quiet     22:00-07:00");
    expect((await line.run(["notice", "list"])).stderr).toContain(
      "Asia/Tokyo, with quiet hours from 22:00 to 07:00",
    );
    await line.run(["notice", "set", "--quiet", "none"]);
    expect((await line.run(["notice", "list"])).stderr).toContain("with no quiet hours");
  });

  it("refuses unknown values", async () => {
    const { line } = await ownersLine();
    const refused = async (...words: string[]) => {
      const { exit, stderr } = await line.run(["notice", "set", ...words]);
      expect(exit).toBe(2);
      return stderr;
    };
    expect(await refused()).toContain("There is nothing to change");
    expect(await refused("answer")).toContain("Kinds of notices and --by must be given together");
    expect(await refused("answer", "--by", "pigeon")).toContain("Notices cannot be sent by pigeon");
    expect(await refused("weather", "--by", "mail")).toContain("weather");
    expect(await refused("--quiet", "22:00")).toContain("must be two times");
  });
});
