import { expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { listen } from "../../support/network/recording-server.ts";

const appId = "01a1fd94-fc70-758b-94ab-a4e978aef61f";

it.each([
  ["feedback list", ["feedback", "list", "--app", appId, "--q", "sync"], "Use --cursor ODAwMA, or --all."],
  ["agent list", ["agent", "list", "--q", "sync"], "Use --cursor ODAwMA."],
] as const)("the command %s says that older threads were not searched", async (_, command, next) => {
  const baseUrl = await listen((_, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ items: [], nextCursor: "ODAwMA", changes: null }));
  });
  const tokens = { INNKEEP_TOKEN: "imt_token", INNKEEP_AGENT_TOKEN: "iat_token" };
  const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, ...tokens });
  const { stderr, stdout } = await line.run([...command]);
  expect(stdout).toBe("");
  expect(stderr).toBe(`Older threads were not searched yet. ${next}\n`);
});
