import { expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { innkeep, innkeepPath } from "../support/programs/built-program.ts";
import { hasTmux, startOnTerminal } from "../support/programs/terminal.ts";
import { startService } from "../support/service/service.ts";
import { makeAppWithAgent, propose, submitFeedback } from "../support/worlds/app-with-owner-and-agent.ts";

const where = hasTmux ? "a real terminal" : "no terminal, because tmux is not installed here";

it(`a maintainer works in the terminal inbox without a mouse, on ${where}`, async () => {
  const service = await startService();
  const cast = await makeAppWithAgent(service);
  const token = await service.makeToken(cast.owner, "maintainer", {
    scopes: ["feedback:read", "feedback:write", "apps:read"],
  });
  const ids = [];
  for (const subject of ["First", "Second", "Third"])
    ids.push(await submitFeedback(service, cast, { subject }));
  await propose(service, cast, ids[2] ?? "");
  const env = { INNKEEP_BASE_URL: service.baseUrl, INNKEEP_TOKEN: token, HOME: await temporaryFolder() };
  if (!hasTmux) {
    expect(await innkeep(["feedback", "inbox"], { env })).toMatchObject({ code: 2 });
    return;
  }
  const terminal = startOnTerminal([process.execPath, innkeepPath, "feedback", "inbox"], env);
  await terminal.shows("3 in the inbox");
  terminal.press("Enter");
  await terminal.shows("jk move");
  terminal.press("Space");
  await terminal.shows("Proposal, awaiting_approval");
  terminal.press("e");
  await terminal.shows("The thread is archived: Third");
  await terminal.shows("Second");
  terminal.press("r");
  await terminal.shows("Reply to the sender");
  terminal.press("Thank you!", "Enter");
  await terminal.shows("Enter sends it");
  terminal.press("Enter");
  await terminal.shows("The reply was added.");
  terminal.press("Escape");
  await terminal.shows("2 in the inbox");
  terminal.press("u");
  await terminal.shows("3 in the inbox");
  terminal.press("j", "j", "d");
  await terminal.shows("The thread is resolved: First");
  terminal.press("q");
  await terminal.shows("ended with 0");
  const headers = { authorization: `Bearer ${token}` };
  const read = async (id = "") =>
    Object((await service.request("GET", `/api/v1/console/feedback/${id}`, { headers })).body);
  const [first, second, third] = await Promise.all(ids.map(read));
  expect([first, second, third].map(({ feedback }) => feedback.status)).toEqual(["resolved", "open", "open"]);
  expect(second.messages).toMatchObject([{ direction: "outbound", body: "Thank you!" }]);
  expect(third.latestProposal.status).toBe("awaiting_approval");
  await service.stop();
});

it("questions work on a real terminal, and Ctrl-C ends them with exit code 130", async () => {
  if (!hasTmux) return;
  const env = {
    INNKEEP_BASE_URL: "http://127.0.0.1:9",
    INNKEEP_API_KEY: "sdk_a",
    HOME: await temporaryFolder(),
  };
  const send = () => startOnTerminal([process.execPath, innkeepPath, "feedback", "send", "--dry-run"], env);
  const terminal = send();
  await terminal.shows("Number or name:");
  terminal.press("2", "Enter");
  await terminal.shows("Message: what happened");
  terminal.press("More colours", "Enter");
  await terminal.shows("More colours");
  await eventually(() => expect(terminal.screen()).toContain("ended with 0"));
  const other = send();
  await other.shows("Number or name:");
  other.press("C-c");
  await other.shows("ended with 130");
});
