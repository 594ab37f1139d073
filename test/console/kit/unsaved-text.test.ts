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
import { makeAccount } from "../../support/sign-in/password-accounts.ts";
import { bearer, propose, sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

describe("a text in a form that was not sent", () => {
  let service: Service;
  let account: Awaited<ReturnType<typeof makeAccount>>;
  let app: { readonly id: string; readonly key: string };
  let token: string;
  let owner: BrowserWithoutScripts;
  beforeAll(async () => {
    service = await startService();
    account = await makeAccount(service);
    app = await service.makeApp(account);
    token = await service.makeToken(account, "agent");
    owner = createBrowserWithoutScripts(service, await service.signIn(account));
  });
  afterAll(() => service.stop());

  const address = (id: string, part = "") => `/console/feedback/${app.id}/${id}${part}`;
  const thread = async () => {
    const id = await sendFeedback(service, app.key);
    return { id, runId: await propose(service, token, id), page: await owner.open(address(id)) };
  };
  const fieldsIn = (page: Answer, id: string) => fieldsOf(formOf(page, address(id, "/edit")));
  const note = { direction: "note", noteBody: "Seen." };
  const runOf = async (id: string) =>
    (await service.request("GET", `/api/v1/agent/runs/${id}`, { headers: bearer(token) })).field("status");
  const signInAgain = async (page: Answer) => {
    const visitor = createBrowserWithoutScripts(service);
    const { email, password } = account;
    const signedIn = await visitor.send(page, "/console/sign-in", { email, password });
    const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
    return { signedIn, visitor: createBrowserWithoutScripts(service, { cookie }) };
  };

  it("is kept in the reply if the person adds a note", async () => {
    const { id, page } = await thread();
    const after = await owner.send(page, address(id, "/messages"), { ...note, replyBody: "Dear sender" });
    expect(after.status).toBe(200);
    expect(fieldsIn(after, id)).toMatchObject({ replyBody: "Dear sender", noteBody: "" });
    expect(readingOf(after)).toMatch(/The note was added to the thread\. .* Internal note .* Seen\./);
    expect(after.text).toMatch(/value="reply" checked/);
  });

  it("is kept in the note to the agent if the person saves the status", async () => {
    const { id, page } = await thread();
    const after = await owner.send(page, address(id, "/edit"), { status: "in_progress", note: "Mind it." });
    expect(fieldsIn(after, id)).toMatchObject({ note: "Mind it.", status: "in_progress" });
    expect(readingOf(after)).toContain("The changes are saved.");
  });

  it("is kept in the subject if the person adds a note, and does not replace changes of other people", async () => {
    const { id, page } = await thread();
    await owner.send(await owner.open(address(id)), address(id, "/edit"), { subject: "Theirs" });
    const refused = await owner.send(page, address(id, "/messages"), { ...note, subject: "Mine" });
    expect(readingOf(refused)).toContain("Subject was changed by somebody else");
    expect(fieldsIn(refused, id)).toMatchObject({ subject: "Mine", noteBody: note.noteBody });
    expect((await owner.send(refused, address(id, "/messages"), { direction: "note" })).status).toBe(303);
    expect(readingOf(await owner.open(address(id)))).toMatch(/Mine.*Internal note/);
  });

  it("is kept in the subject if the person presses another button, and does not undo changes of other people", async () => {
    const { id, page } = await thread();
    const other = await owner.open(address(id));
    await owner.send(other, address(id, "/edit"), { status: "resolved" });
    const after = await owner.send(page, address(id, "/status-link"), { subject: "Mine" });
    expect(fieldsIn(after, id)).toMatchObject({ subject: "Mine", status: "resolved" });
    await owner.send(await owner.open(address(id)), address(id, "/edit"), { subject: "Theirs" });
    const refused = await owner.send(after, address(id, "/edit"));
    expect(readingOf(refused)).toContain("Subject was changed by somebody else");
  });

  it("is kept in the note to the agent if the person has decided in another tab", async () => {
    const { id, page } = await thread();
    await owner.send(await owner.open(address(id)), address(id, "/decision"), { decision: "approve" });
    const refused = await owner.send(page, address(id, "/decision"), {
      decision: "reject",
      note: "No, wait.",
    });
    expect(readingOf(refused)).toContain("This proposal was already approved.");
    expect(fieldsIn(refused, id)).toMatchObject({ note: "No, wait." });
    const after = await owner.send(refused, address(id, "/messages"), note);
    expect(fieldsIn(after, id)).toMatchObject({ note: "No, wait." });
  });

  it("is kept below a newer plan, with a warning that the plan is newer", async () => {
    const { id, page } = await thread();
    await propose(service, token, id);
    const after = await owner.send(page, address(id, "/messages"), { ...note, note: "For the first." });
    expect(readingOf(after)).toContain("A newer proposal replaced the one you read.");
    expect(fieldsIn(after, id)).toMatchObject({ note: "For the first." });
  });

  it("is absent if the person typed nothing else, and the page links to the new message", async () => {
    const { id, page } = await thread();
    const after = await owner.send(page, address(id, "/messages"), note);
    expect(after.status).toBe(303);
    const place = after.headers.get("location")?.split("#")[1] ?? "";
    expect((await owner.open(locationOf(after))).text).toContain(`id="${place}"`);
  });

  it("is shown again after the session has ended, with a message that nothing was decided", async () => {
    const { id, runId, page } = await thread();
    const sent = { decision: "approve", note: "Mind the\ntests.", replyBody: "Dear sender" };
    const unsigned = await createBrowserWithoutScripts(service).send(page, address(id, "/decision"), sent);
    expect(unsigned.status).toBe(401);
    expect(readingOf(unsigned)).toContain("Your session has ended. Your decision was not recorded.");
    const { signedIn, visitor } = await signInAgain(unsigned);
    expect(readingOf(signedIn)).toContain("Your decision was not recorded.");
    const shown = await visitor.send(signedIn, address(id, "/decision"));
    expect(readingOf(shown)).toContain(
      "Your decision was not recorded. Your text is still here. Send it again.",
    );
    expect(fieldsIn(shown, id)).toMatchObject({ note: "Mind the\ntests.", replyBody: "Dear sender" });
    expect(await runOf(runId)).toBe("awaiting_approval");
    expect((await visitor.send(shown, address(id, "/decision"), { decision: "approve" })).status).toBe(200);
    expect(await runOf(runId)).toBe("approved");
  });

  it("is also shown again after a wrong password", async () => {
    const path = `/console/faqs/${app.id}/new`;
    const page = await owner.open(path);
    const typed = { question: "How?", answer: "Like\nthis." };
    const unsigned = await createBrowserWithoutScripts(service).send(page, path, typed);
    const wrong = await createBrowserWithoutScripts(service).send(unsigned, "/console/sign-in", {
      email: account.email,
      password: "not this one",
    });
    expect(readingOf(wrong)).toContain("You are not signed in.");
    const { signedIn, visitor } = await signInAgain(wrong);
    expect(fieldsOf(formOf(await visitor.send(signedIn, path), path))).toMatchObject(typed);
    const { body } = await service.request("GET", "/api/v1/faqs/remote", {
      headers: { "x-api-key": app.key },
    });
    expect(body).toEqual([]);
  });

  it("is not kept for a form in which the person typed nothing", async () => {
    const path = `/console/faqs/${app.id}`;
    for (const question of ["A?", "B?"])
      await owner.send(await owner.open(`${path}/new`), `${path}/new`, { question, answer: "C." });
    const page = await owner.open(path);
    const move = { move: `${/name="move" value="([^"]*) down"/.exec(page.text)?.[1]} down` };
    const referer = `${service.baseUrl}${path}`;
    const unsigned = await createBrowserWithoutScripts(service, { referer }).send(
      page,
      `${path}/order`,
      move,
    );
    const { signedIn, visitor } = await signInAgain(unsigned);
    const answer = await visitor.send(signedIn, `${path}/order`);
    expect(answer.headers.get("location")).toBe(`${path}?done=not-done-orderFaqs`);
  });
});
