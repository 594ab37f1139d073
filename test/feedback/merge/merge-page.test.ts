import { expect, it, onTestFinished } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { startService } from "../../support/service/service.ts";
import { makeTeam } from "../../support/worlds/members/team.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

it("a maintainer without scripts merges a thread into another one, sees its messages there, and undoes the merge", async () => {
  const service = await startService();
  onTestFinished(() => service.stop());
  const team = await makeTeam(service);
  const maria = createBrowserWithoutScripts(service, (await team.join("maintainer")).headers);
  const viewer = createBrowserWithoutScripts(service, (await team.join("viewer")).headers);
  const send = (report: object) => sendFeedback(service, team.app.key, report);
  const into = await send({ message: "It crashes.", email: "ada@kitchen.example" });
  const from = await send({ message: "A walrus closes it.", email: "bo@cellar.example" });
  const pageOf = (id: string, part = "") => `/console/feedback/${team.app.id}/${id}${part}`;
  const thread = await maria.open(pageOf(from));
  expect(thread.text).toContain(`href="${pageOf(from, "/merge")}"`);
  const offered = await maria.open(pageOf(from, "/merge"));
  expect(readingOf(offered)).toMatch(/#2 .*A walrus closes it[\s\S]*#1 .*It crashes/);
  expect(offered.text).not.toContain(`value="${from}"`);
  expect(readingOf(await maria.open(pageOf(from, "/merge?q=nothing")))).toContain("No other thread found");
  const found = await maria.open(pageOf(from, "/merge?q=%231"));
  const merged = await maria.send(found, pageOf(from, "/merge"), { into });
  expect(merged.headers.get("location")).toContain(`${pageOf(into)}?done=merged`);
  const both = await maria.open(merged.headers.get("location") ?? "");
  expect(readingOf(both)).toMatch(/The threads are merged\.[\s\S]*Merged from #2 .*A walrus closes it/);
  expect(readingOf(both)).toContain("reported it in a thread that was merged");
  expect(both.text).toMatch(new RegExp(`<option value="${from}"[^>]*>bo@cellar.example`));
  for (const address of [pageOf(from), pageOf(from, "/merge")])
    expect((await maria.open(address)).headers.get("location")).toContain(pageOf(into));
  const numbered = await maria.open(`/console/t/${team.app.id}/2`);
  expect(numbered.headers.get("location")).toContain(pageOf(into));
  const seen = await viewer.open(pageOf(into));
  expect([seen.text.includes("Merged from"), seen.text.includes("/unmerge")]).toEqual([true, false]);
  expect((await viewer.open(pageOf(into, "/merge"))).status).toBe(403);
  const again = await maria.send(found, pageOf(from, "/merge"), { into });
  expect(again.status).toBe(303);
  const apart = await maria.send(both, pageOf(from, "/unmerge"));
  expect(apart.headers.get("location")).toContain(`${pageOf(from)}?done=unmerged`);
  const alone = readingOf(await maria.open(apart.headers.get("location") ?? ""));
  expect(alone).toContain("The thread is separate again.");
  expect(alone).toMatch(/undid the merge of this thread into #1/);
  expect(readingOf(await maria.open(pageOf(into)))).not.toContain("Merged from");
});

it("a reply to everyone is kept, and not sent, if a thread was merged into the open thread in the meantime (rule F35)", async () => {
  const service = await startService();
  onTestFinished(() => service.stop());
  const team = await makeTeam(service);
  const maria = createBrowserWithoutScripts(service, (await team.join("maintainer")).headers);
  const ben = await team.join("maintainer");
  const send = (report: object) => sendFeedback(service, team.app.key, report);
  const [first, second, third] = [
    await send({ message: "It crashes." }),
    await send({ message: "It freezes." }),
    await send({ message: "It burns." }),
  ];
  const merge = (id: string) =>
    service.request("POST", `/api/v1/console/feedback/${id}/merge`, {
      headers: { ...ben.headers, origin: service.baseUrl },
      body: { into: third },
    });
  await merge(second);
  const path = `/console/feedback/${team.app.id}/${third}`;
  const page = await maria.open(path);
  await merge(first);
  const fields = { direction: "outbound", replyBody: "Version 2 helps.", replyReceiver: "everyone" };
  const kept = await maria.send(page, `${path}/messages`, fields);
  expect(readingOf(kept)).toMatch(/Nothing was sent\. Another thread was merged into this thread at /);
  expect(kept.text).toContain("Version 2 helps.");
  const sent = await maria.send(kept, `${path}/messages`, { direction: "outbound" });
  expect(sent.status).toBe(303);
  expect(readingOf(await maria.open(path))).toContain("Version 2 helps.");
});
