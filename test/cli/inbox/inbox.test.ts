import { describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { eventually } from "../../support/eventually.ts";
import { listen } from "../../support/network/recording-server.ts";
import { open, thread } from "./inbox-screen.ts";

describe("the inbox in the terminal", () => {
  it("lists the threads without control characters, and ends with the key q", async () => {
    const { shows, frame, type, ended } = open();
    await shows("3 in the inbox");
    expect(frame()).toMatch(/> \d+ d ago {5}bug {6}Subject 0\[2J, Ada/);
    type("q");
    await expect(ended).resolves.toBeUndefined();
  });

  it("shows a thread, scrolls to its end, and shows a proposal without a decision", async () => {
    const { shows, frame, type, asked } = open();
    await shows("3 in the inbox");
    type("j\r");
    await shows("Words of t1");
    expect(frame()).not.toContain("\u0007");
    for (let press = 0; press < 20; press += 1) type("j");
    await shows("Proposal, awaiting_approval");
    type("yYaA");
    type("\u001b");
    await shows("3 in the inbox");
    expect(asked).toEqual([]);
  });

  it("shows all keys on a terminal with 80 columns", async () => {
    const { shows, type } = open();
    await shows("Enter read  e archive  d resolve  u undo  r reply  n note  i issue  q quit");
    type("\r");
    await shows("jk move  e archive  d resolve  u undo  r reply  n note  i issue  o web  q back");
  });

  it("marks unread threads, and an opened thread as read, even if the server refuses the mark", async () => {
    const marked: string[] = [];
    const markRead = async (id: string) => {
      marked.push(id);
      throw new Error("This token may only read.");
    };
    const { shows, frame, type } = open({ markRead }, [9, 1]);
    await shows("2 in the inbox");
    expect(frame()).toMatch(/>\*\d+ d ago {5}bug {6}Subject 9/);
    expect(frame()).toMatch(/ {2}\d+ d ago {5}bug {6}Subject 1/);
    type("\r");
    await shows("Words of t9");
    type("\u001b");
    await shows("2 in the inbox");
    expect(frame()).toMatch(/> \d+ d ago {5}bug {6}Subject 9/);
    type("j\r");
    await shows("Words of t1");
    expect(marked).toEqual(["t9"]);
    expect(frame()).not.toContain("only read");
  });

  it("archives and resolves threads from the list and from a thread, and can undo both", async () => {
    const { shows, type, asked, inbox } = open();
    await shows("3 in the inbox");
    type("e");
    await shows("2 in the inbox");
    type("\r");
    await shows("Words of t1");
    type("d");
    await shows("Words of t2");
    await shows("The thread is resolved: Subject 1");
    type("uu");
    await shows("3 in the inbox");
    await inbox.settled();
    expect(asked).toEqual([
      ["t0", { status: "archived" }],
      ["t1", { status: "resolved" }],
      ["undo", "t1"],
      ["undo", "t0"],
    ]);
    expect(inbox.state().threads.map(({ id }) => id)).toEqual(["t0", "t1", "t2"]);
  });

  it("undoes a change that the server refuses, and shows the reason", async () => {
    const { shows, type, inbox } = open({ file: () => Promise.reject(new Error("The server is busy.")) });
    await shows("3 in the inbox");
    type("e");
    await shows("The server is busy.");
    expect(inbox.state().threads.map(({ id }) => id)).toEqual(["t0", "t1", "t2"]);
  });

  it("does not undo a change that the server has refused", async () => {
    const { shows, type, inbox } = open({ file: () => Promise.reject(new Error("The server is busy.")) });
    await shows("3 in the inbox");
    type("eu");
    await shows("The server is busy.");
    expect(inbox.state().filed).toEqual([]);
    expect(inbox.state().threads.map(({ id }) => id)).toEqual(["t0", "t1", "t2"]);
  });

  it("removes a thread again that the server does not change back, and undoes the change before it", async () => {
    const undone: string[] = [];
    const { shows, type, inbox } = open({
      file:
        async ({ id }) =>
        async () => {
          undone.push(id);
          return id === "t1" ? "Somebody has changed the thread." : undefined;
        },
    });
    await shows("3 in the inbox");
    type("eeu");
    await shows("Somebody has changed the thread.");
    expect(inbox.state().threads.map(({ id }) => id)).toEqual(["t2"]);
    type("u");
    await shows("2 in the inbox");
    await inbox.settled();
    expect(inbox.state().threads.map(({ id }) => id)).toEqual(["t0", "t2"]);
    expect(undone).toEqual(["t1", "t0"]);
  });

  it("removes a thread again if its undo does not arrive, and can try it again", async () => {
    let isDown = true;
    const { shows, type, inbox } = open({
      file: async () => async () => {
        if (isDown) throw new Error("The server is busy.");
        return undefined;
      },
    });
    await shows("3 in the inbox");
    type("eu");
    await shows("The server is busy.");
    expect(inbox.state().threads.map(({ id }) => id)).toEqual(["t1", "t2"]);
    isDown = false;
    type("u");
    await shows("3 in the inbox");
    await inbox.settled();
    expect(inbox.state().threads.map(({ id }) => id)).toEqual(["t0", "t1", "t2"]);
  });

  it("sends a reply after Enter is pressed twice, and keeps the text if the reply does not arrive", async () => {
    let isDown = true;
    const sent: unknown[] = [];
    const { shows, type, inbox } = open({
      send: async (...given) => {
        if (isDown) throw new Error("The server is busy.");
        sent.push(given);
        return {};
      },
    });
    await shows("3 in the inbox");
    type("r");
    await shows("Reply to the sender");
    type("Fixed in 2.4.0");
    type("x");
    type("\u007f");
    type("\r");
    await shows("Enter sends it");
    type("\r");
    await shows("The server is busy.");
    await shows("Fixed in 2.4.0_");
    isDown = false;
    type("\r");
    await shows("Enter sends it");
    type("\r");
    await shows("The reply was added.");
    await inbox.settled();
    expect(sent).toEqual([
      ["t0", { direction: "outbound", body: "Fixed in 2.4.0", expectedMessageId: null }],
    ]);
  });

  it("sends no reply after Esc, and no empty reply", async () => {
    const { shows, type, asked } = open();
    await shows("3 in the inbox");
    type("r");
    await shows("Reply to the sender");
    type("\r");
    await shows("There is no text yet.");
    type("Hello");
    type("\r");
    await shows("Enter sends it");
    type("\u001b");
    await shows("Nothing was sent.");
    expect(asked).toEqual([]);
  });

  it("sends a reply once, even if the thread cannot be read afterwards", async () => {
    let reads = 0;
    const { shows, type, asked } = open({
      read: async (id) => {
        reads += 1;
        if (reads > 1) throw new Error("gone");
        return thread(id);
      },
    });
    await shows("3 in the inbox");
    type("n");
    await shows("Note for your team");
    type("Seen.");
    type("\r");
    await shows("The note was added.");
    expect(asked).toEqual([["t0", { direction: "note", body: "Seen." }]]);
  });

  it("links an issue by its address, and refuses other text", async () => {
    const { shows, type, asked } = open();
    await shows("3 in the inbox");
    type("i");
    await shows("Address of the issue");
    type("#12");
    type("\r");
    await shows("The issue must be a web address");
    type("\u007f\u007f\u007f");
    for (let left = 3; left > 0; left -= 1) type("\u007f");
    type("https://github.com/inn/larder/issues/12");
    type("\r");
    await shows("The issue is linked.");
    expect(asked).toEqual([["t0", { githubIssueUrl: "https://github.com/inn/larder/issues/12" }]]);
  });

  it("reads the next page before the end of the list, and can open the console", async () => {
    const { shows, type, asked } = open({}, [0, 1], "7");
    await shows("2+ in the inbox");
    type("j");
    await shows("3 in the inbox");
    type("\r");
    await shows("Words of t1");
    type("o");
    await eventually(() => expect(asked).toEqual(["https://inn.example/t1"]));
  });

  it("says if there is nothing to do", async () => {
    const { shows, type } = open({}, [0]);
    await shows("1 in the inbox");
    type("e");
    await shows("Nothing is left to do.");
  });
});

describe("the command innkeep feedback inbox", () => {
  it.each<[string, readonly string[], boolean]>([
    ["without a terminal", [], false],
    ["with --json", ["--json"], true],
    ["with --no-input", ["--no-input"], true],
  ])("is refused %s, and the error names commands that work there", async (_, flags, terminal) => {
    const line = await createCommandLine({ INNKEEP_TOKEN: "sdm_a" });
    const ran = await line.run(["feedback", "inbox", ...flags], { terminal });
    expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining("innkeep feedback list") });
  });

  it("says in one sentence that a server with only the specification has no inbox", async () => {
    const baseUrl = await listen((_, response) => void response.writeHead(404).end("Not here"));
    const line = await createCommandLine({ INNKEEP_TOKEN: "sdm_a", INNKEEP_BASE_URL: baseUrl });
    const ran = await line.run(["feedback", "inbox", "--app", "Larder"], { terminal: true });
    expect(ran).toMatchObject({ exit: 6, stderr: expect.stringContaining("This server has no inbox") });
  });
});
