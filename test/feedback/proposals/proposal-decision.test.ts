import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  fieldsOf,
  formOf,
  locationOf,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  bearer,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  propose,
  sendFeedback,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe("a decision on a proposal", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let owner: BrowserWithoutScripts;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
    owner = createBrowserWithoutScripts(service, world.headers);
  });
  afterAll(() => service.stop());

  const address = (id: string, part = "") => `/console/feedback/${world.app.id}/${id}${part}`;
  const run = (id: string) => {
    return service.request("GET", `/api/v1/agent/runs/${id}`, { headers: bearer(world.agentToken) });
  };
  const decide = (page: Answer, id: string, decision: string, note = "") =>
    owner.send(page, address(id, "/decision"), { decision, note });
  const proposed = async () => {
    const id = await sendFeedback(service, world.app.key);
    const runId = await propose(service, world.agentToken, id);
    return { id, runId, page: await owner.open(address(id)) };
  };

  it("is shown as open before a person decides", async () => {
    const { page } = await proposed();
    expect(readingOf(page)).toMatch(
      /Proposal Waiting for your decision .* Mend it .* 1\. Find it 2\. Mend it/,
    );
  });

  it.each([
    ["approve", "approved"],
    ["reject", "rejected"],
    ["request_changes", "rejected"],
  ])("to %s is returned to the agent with the note", async (decision, status) => {
    const { id, runId, page } = await proposed();
    const answer = await decide(page, id, decision, "Mind the\r\ntests.");
    expect([answer.status, locationOf(answer)]).toEqual([303, address(id)]);
    expect((await run(runId)).body).toMatchObject({ status, decisionNote: "Mind the\ntests." });
  });

  it("is shown with its note afterwards, without a form", async () => {
    const { id, page } = await proposed();
    const after = await owner.follow(await decide(page, id, "approve", "Mind the tests."));
    expect(readingOf(after)).toMatch(/Proposal Approved .* Approved by .* Mind the tests\./);
    expect(() => formOf(after, address(id, "/decision"))).toThrow();
  });

  it("says that the thread is resolved, on its page and in the list of decisions", async () => {
    const { id } = await proposed();
    const words = "This thread is resolved, but a plan still waits for a decision.";
    const isNamed = async () => /proposed [^·]*? Resolved/.test(readingOf(await owner.open("/console")));
    expect(readingOf(await owner.open(address(id)))).not.toContain(words);
    expect(await isNamed()).toBe(false);
    await world.call("PATCH", `/feedback/${id}`, { status: "resolved" });
    const page = await owner.open(address(id));
    expect(readingOf(page).split(words)).toHaveLength(3);
    expect(await isNamed()).toBe(true);
    await decide(page, id, "reject");
    expect(readingOf(await owner.open(address(id)))).not.toContain(words);
  });

  it("is named as waiting after the thread was resolved in a list", async () => {
    const { id } = await proposed();
    const [inbox, all] = [`/console/feedback/${world.app.id}`, "/console/feedback"];
    const forms = [
      [`${inbox}?open=${id}`, `${inbox}/change`, id],
      [`${all}?status=all`, "/console/all-feedback/change", `${world.app.id}.${id}`],
    ] as const;
    for (const [list, form, value] of forms) {
      const sent = await owner.send(await owner.open(list), form, { act: "resolve", id: value });
      const after = await owner.open(sent.headers.get("location") ?? "");
      expect(readingOf(after)).toContain("1 thread resolved. 1 plan still waits for a decision.");
    }
  });

  it("names before a rejection that it is final, and afterwards what a person can do instead", async () => {
    const { id, page } = await proposed();
    expect(readingOf(page)).toContain(
      "A rejection is final: the agent stops, and can only propose a new plan.",
    );
    const after = readingOf(await owner.follow(await decide(page, id, "reject")));
    expect(after).toContain("write a note in the thread, and ask the agent to propose a new plan.");
    expect(after).not.toContain("can be recalled");
  });

  it.each([["approve"], ["request_changes"]])(
    "of the kind %s is not called final afterwards",
    async (kind) => {
      const { id, page } = await proposed();
      const after = await owner.follow(await decide(page, id, kind, "Mind the tests."));
      expect(readingOf(after)).not.toContain("is final");
    },
  );

  it("is saved once if the form is sent twice by a double click", async () => {
    const { id, runId, page } = await proposed();
    const send = () => decide(page, id, "approve", "x");
    const answers = [...(await Promise.all([send(), send(), send()])), await send()];
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303, 303]);
    const audit = await world.call("GET", "/audit?limit=100");
    expect(audit.text.match(new RegExp(`"run\\.approve"[^}]*"${runId}"`, "g"))).toHaveLength(1);
  });

  it("does not change if an earlier form with the opposite decision arrives", async () => {
    const { id, runId, page } = await proposed();
    await decide(page, id, "approve");
    const again = await decide(page, id, "reject");
    expect(again.status).toBe(422);
    expect(readingOf(again)).toContain("This proposal was already approved.");
    expect((await run(runId)).field("status")).toBe("approved");
  });

  it("on a replaced proposal is refused, and the page shows the newer proposal", async () => {
    const { id, page } = await proposed();
    const newer = await propose(service, world.agentToken, id);
    const answer = await decide(page, id, "approve", "Go ahead.");
    expect(answer.status).toBe(409);
    expect(readingOf(answer)).toContain("A newer proposal replaced the one you read.");
    expect(formOf(answer, address(id, "/decision"))).toContain(`value="${newer}"`);
    expect(formOf(answer, address(id, "/decision"))).toContain("Go ahead.");
    expect((await run(newer)).field("status")).toBe("awaiting_approval");
  });

  it("on a proposal that is already decided is refused", async () => {
    const { id, page } = await proposed();
    await decide(await owner.open(address(id)), id, "reject");
    const answer = await decide(page, id, "approve");
    expect(answer.status).toBe(409);
    expect(readingOf(answer)).toContain("This proposal was already rejected.");
  });

  it("with a note that is too long is refused, and the page shows the note with the fault", async () => {
    const { id, page } = await proposed();
    const answer = await decide(page, id, "approve", "x".repeat(4_001));
    expect(answer.status).toBe(400);
    expect(readingOf(answer)).toContain("Note to the agent must have at most 4000 characters.");
    expect(answer.text).toContain("x".repeat(4_001));
  });

  it("to ask for changes needs a note, and the page keeps the other typed text", async () => {
    const { id, runId, page } = await proposed();
    const answer = await owner.send(page, address(id, "/decision"), {
      ...{ decision: "request_changes", note: " ", replyBody: "We look into it." },
    });
    expect(answer.status).toBe(400);
    expect(readingOf(answer)).toContain("Note to the agent must say what to change.");
    expect(formOf(answer, address(id, "/decision"))).toContain("We look into it.");
    expect((await run(runId)).field("status")).toBe("awaiting_approval");
  });

  it("to ask for changes is shown with the person and the note", async () => {
    const { id, page } = await proposed();
    const after = await owner.follow(await decide(page, id, "request_changes", "Smaller steps."));
    expect(readingOf(after)).toMatch(/Proposal Changes asked for .* Changes asked for by .* Smaller steps\./);
  });

  it("is refused after somebody has asked for changes", async () => {
    const { id, page } = await proposed();
    await decide(await owner.open(address(id)), id, "request_changes", "Smaller steps.");
    const answer = await decide(page, id, "approve");
    expect(answer.status).toBe(409);
    expect(readingOf(answer)).toContain("Changes to this proposal were already asked for.");
  });

  it("is refused from a page of another origin", async () => {
    const { id, runId, page } = await proposed();
    const lured = createBrowserWithoutScripts(service, { ...world.headers, origin: "https://evil.example" });
    const answer = await lured.send(page, address(id, "/decision"), { decision: "approve" });
    expect(answer.status).toBe(403);
    expect((await run(runId)).field("status")).toBe("awaiting_approval");
  });

  it("needs a signed-in person, and the typed note is kept during the sign-in", async () => {
    const { id, page } = await proposed();
    const referer = `${service.baseUrl}${address(id)}`;
    const answer = await createBrowserWithoutScripts(service, { referer }).send(
      page,
      address(id, "/decision"),
      {
        decision: "approve",
      },
    );
    expect(answer.status).toBe(401);
    expect(fieldsOf(formOf(answer, "/console/sign-in"))).toMatchObject({
      to: address(id),
      "kept-action": address(id, "/decision"),
      "kept:decision": "approve",
    });
  });

  it("is shown together with all earlier proposals and their decisions", async () => {
    const { id, page } = await proposed();
    await decide(page, id, "reject", "Not like this.");
    await propose(service, world.agentToken, id);
    await propose(service, world.agentToken, id);
    const text = readingOf(await owner.open(address(id)));
    expect(text).toMatch(/Earlier proposals Replaced by a newer one .* Rejected .* Not like this\./);
  });
});
