import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import { connect } from "../../support/sign-in/oauth.ts";
import { makeOwnerWithOneOfEach } from "../../support/worlds/owner-with-one-of-each.ts";

describe("the connection of an agent for a member", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  /** Returns the answer of a tool to this token, in one form for all results. */
  const callTool = async (access: string, name: string, args: object = {}) => {
    const headers = { authorization: `Bearer ${access}`, accept: "application/json, text/event-stream" };
    const params = { name, arguments: args };
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    return service.request("POST", "/mcp", { headers, body });
  };

  it.each([
    { role: "owner", finds: true },
    { role: "maintainer", finds: false },
    { role: "viewer", finds: false },
  ] as const)("who has the role $role finds the app's feedback: $finds", async ({ role, finds }) => {
    const world = await makeOwnerWithOneOfEach(service);
    const member = await service.makeMember(world.app.id, role);
    const { access } = await connect(service, await service.signIn(member));
    const list = await callTool(access, "list_feedback");
    const read = await callTool(access, "read_feedback", { feedback: world.threadId });
    const newest = { feedback: world.threadId, expected_run_id: world.runId };
    const propose = { ...newest, summary: "Mend it", plan: "1. Mend it" };
    const proposed = await callTool(access, "propose_plan", propose);
    expect([list.status, read.status, proposed.status]).toEqual([200, 200, 200]);
    expect(list.text.includes(world.threadId)).toBe(finds);
    expect(read.text.includes(`"isError":true`)).toBe(!finds);
    expect(proposed.text.includes(`"isError":true`)).toBe(!finds);
  });

  it("finds nothing after the role of the member was lowered", async () => {
    const world = await makeOwnerWithOneOfEach(service);
    const member = await service.makeMember(world.app.id, "owner");
    const { access } = await connect(service, await service.signIn(member));
    expect((await callTool(access, "list_feedback")).text).toContain(world.threadId);
    const path = `/apps/${world.app.id}/members/${member.id}`;
    expect((await world.call("PATCH", path, { role: "maintainer" })).status).toBe(200);
    const after = await callTool(access, "list_feedback");
    expect(after.text).not.toContain(world.threadId);
  });
});
