import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fileThread } from "../../../src/cli/feedback/inbox/show.ts";
import { createClient } from "../../../src/client/send.ts";
import { listen } from "../../support/network/recording-server.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam } from "../../support/worlds/members/team.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";
import { thread } from "./inbox-screen.ts";

describe("a thread that was filed away in the terminal inbox", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  /** An app with three threads. `file` resolves the oldest of them. */
  async function setUp() {
    const team = await makeTeam(service);
    const ids: string[] = [];
    for (let at = 0; at < 3; at += 1) {
      ids.unshift(await sendFeedback(service, team.app.key, {}));
      service.clock.advance(1_000);
    }
    const id = ids.at(-1) ?? "";
    const token = await service.makeToken(team.owner, "maintainer", {
      scopes: ["feedback:read", "feedback:write"],
    });
    const client = createClient({ baseUrl: service.baseUrl, credentials: { maintainerToken: token } });
    const list = async () =>
      Object((await team.call("GET", `${team.at}/feedback?status=open&order=activity`)).body).items.map(
        ({ id: found }: { id: string }) => found,
      );
    const file = () =>
      fileThread(client, { appId: team.app.id, thread: { id, status: "open" }, status: "resolved" });
    return { team, ids, id, list, file };
  }

  it("is at its earlier place in the list after the undo", async () => {
    const { ids, list, file } = await setUp();
    const undo = await file();
    expect(await list()).toEqual(ids.slice(0, -1));
    service.clock.advance(60_000);
    expect(await undo()).toBeUndefined();
    expect(await list()).toEqual(ids);
  });

  it("is not changed back if somebody has changed it since", async () => {
    const { team, ids, id, list, file } = await setUp();
    const undo = await file();
    await team.call("POST", `/feedback/${id}/messages`, { direction: "note", body: "Seen." });
    expect(await undo()).toContain("Somebody has changed the thread since then");
    expect(await list()).toEqual(ids.slice(0, -1));
  });

  it("is not changed back after ten minutes", async () => {
    const { file } = await setUp();
    const undo = await file();
    service.clock.advance(11 * 60_000);
    expect(await undo()).toContain("within ten minutes");
  });

  it("is refused if it was deleted in the meantime", async () => {
    const { team, id, file } = await setUp();
    await team.call("DELETE", `/feedback/${id}`);
    await expect(file()).rejects.toThrow("The thread was deleted or merged into another one.");
  });

  it("is changed alone at a server without bulk requests", async () => {
    const asked: unknown[] = [];
    const baseUrl = await listen(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      asked.push([request.method, JSON.parse(Buffer.concat(chunks).toString())]);
      response.writeHead(request.method === "PATCH" ? 200 : 404, { "content-type": "application/json" });
      response.end(JSON.stringify(thread("t")));
    });
    const client = createClient({ baseUrl, credentials: { maintainerToken: "sdm_a" } });
    const undo = await fileThread(client, {
      ...{ appId: "a", thread: { id: "t", status: "in_progress" }, status: "archived" },
    });
    expect(await undo()).toBeUndefined();
    expect(asked.slice(1)).toEqual([
      ["PATCH", { status: "archived" }],
      ["PATCH", { status: "in_progress" }],
    ]);
  });
});
