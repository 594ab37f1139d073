import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type CommandLineOptions, createCommandLine } from "../../support/clients/command-line.ts";
import { eventually } from "../../support/eventually.ts";
import { startReceiver, verified } from "../../support/network/event-receiver.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

describe("the command innkeep dev listen", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ settings: { dev: true } });
    return () => service.stop();
  });

  /** An app, a receiver on this machine, and a command that forwards the events of the app to it. */
  async function makeWorld() {
    const owner = await service.makeUser();
    const { id: appId, key } = await service.makeApp(owner);
    const token = await service.makeToken(owner, "maintainer", { scopes: ["events:read"], appId });
    const receiver = await startReceiver();
    const line = await createCommandLine({ INNKEEP_BASE_URL: service.baseUrl, INNKEEP_TOKEN: token });
    const stop = new AbortController();
    onTestFinished(() => stop.abort(new Error("interrupted")));
    const listen = (flags: readonly string[] = [], options: CommandLineOptions = {}) => {
      const since = flags.includes("--since") ? [] : ["--since", "1h"];
      const argv = ["dev", "listen", "--forward-to", receiver.url, "--app", appId, ...since, ...flags];
      return line.run(argv, { signal: stop.signal, ...options });
    };
    const types = () => receiver.received.map(({ type }) => type);
    const report = (fields: object = {}) => sendFeedback(service, key, fields);
    /** Waits until the command forwards what happens. */
    const listening = async () => {
      await report();
      await eventually(() => expect(receiver.received).toHaveLength(1));
    };
    const end = () => stop.abort(new Error("interrupted"));
    return { ...{ appId, key, token, receiver, listen, types, report, listening, end } };
  }

  it("sends each event until it is interrupted, signed with the secret that it prints", async () => {
    const { listen, receiver, report, listening, end } = await makeWorld();
    const running = listen();
    await listening();
    receiver.received.length = 0;
    const thread = await report();
    await eventually(() => expect(receiver.received.at(-1)?.data.feedbackId).toBe(thread));
    end();
    const { exit, stdout, stderr } = await running;
    expect([exit, stderr]).toEqual([130, expect.stringContaining(`to ${receiver.url}.`)]);
    const [, secret = ""] = /^Signing secret: (whsec_\S+)\n/.exec(stdout) ?? [];
    const message = receiver.received.find(({ data }) => data.feedbackId === thread);
    expect(message && verified(secret, message)).toMatchObject({
      type: "feedback.created",
      data: { feedbackId: thread },
    });
    expect(stdout).toMatch(/\d\d:\d\d:\d\d {2}feedback\.created {2}→ {2}200 {2}\d+ ms {2}[\da-f-]{36}\n$/);
    expect(stdout.match(/whsec_/g)).toHaveLength(1);
  });

  it("signs with the secret from the environment, and does not print this secret", async () => {
    const { listen, receiver, listening, end } = await makeWorld();
    const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
    const running = listen([], { env: { INNKEEP_WEBHOOK_SECRET: secret } });
    await listening();
    end();
    const { stdout, stderr } = await running;
    const [message] = receiver.received;
    expect(() => message && verified(secret, message)).not.toThrow();
    expect(stdout + stderr).not.toContain("whsec_");
  });

  it.each([[[]], [["--json"]]])(
    "prints with %j neither a given secret nor a password of an address",
    async (flags) => {
      const { listen, receiver, listening, end } = await makeWorld();
      const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
      const address = receiver.url.replace("//", "//kim:hunter2@");
      const running = listen(["--forward-to", address, ...flags], {
        env: { INNKEEP_WEBHOOK_SECRET: secret },
      });
      await listening();
      end();
      const { stdout, stderr } = await running;
      expect(stdout + stderr).not.toMatch(/whsec_|hunter2|kim/);
      expect(stdout + stderr).toContain(receiver.url);
    },
  );

  it("sends only the selected types, and earlier events", async () => {
    const { listen, types, report, end, appId } = await makeWorld();
    const trigger = (event: string) =>
      service.request("POST", "/dev/trigger", { body: { event, app: appId } });
    await report();
    await trigger("run.decided");
    await trigger("faq.changed");
    const running = listen(["--since", "1h", "--events", "run.*,faq.changed"]);
    await eventually(() => expect(types()).toEqual(["run.proposed", "run.decided", "faq.changed"]));
    end();
    await running;
  });

  it("subtracts a duration from the clock of a development server", async () => {
    const { listen, receiver, types, report, end } = await makeWorld();
    await report();
    await service.request("POST", "/dev/clock", { body: { advance: "P1D" } });
    const thread = await report();
    const running = listen(["--since", "2h"]);
    await eventually(() => expect(types()).toHaveLength(1));
    expect(receiver.received[0]?.data.feedbackId).toBe(thread);
    end();
    await running;
  });

  it("shows the answers of the address, and continues after each answer", async () => {
    const { listen, receiver, report, listening, end } = await makeWorld();
    const running = listen(["--json"]);
    await listening();
    receiver.answers.push(500, 307);
    receiver.received.length = 0;
    for (const _ of [1, 2, 3]) await report();
    await eventually(() => expect(receiver.received).toHaveLength(3));
    end();
    const { stdout, exit } = await running;
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(exit).toBe(130);
    expect(lines[0]).toEqual({
      forwardTo: receiver.url,
      appId: expect.any(String),
      secret: expect.stringMatching(/^whsec_/),
    });
    expect(lines.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 500, 307]));
    expect(lines.at(-2)).toMatchObject({
      ...{ type: "feedback.created", status: 307, error: null, again: false },
    });
  });

  it("reports that no server answers at the address, and still sends the next event", async () => {
    const { listen, report, end, types } = await makeWorld();
    const free = createServer().listen(0, "127.0.0.1");
    await once(free, "listening");
    const port = portOf(free);
    await new Promise((resolve) => free.close(resolve));
    await report();
    const nowhere = listen(["--since", "1h", "--forward-to", `:${port}/hook`]);
    const here = listen(["--since", "1h"]);
    await eventually(() => expect(types()).toEqual(["feedback.created"]));
    await report();
    await eventually(() => expect(types()).toHaveLength(2));
    end();
    await here;
    const lines = (await nowhere).stdout.split("\n").filter((line) => /→ {2}.*127.0.0.1:\d+/.test(line));
    expect(lines.length).toBeGreaterThan(0);
  });

  it("sends each missed event once after the connection ended", async () => {
    const { listen, receiver, report, listening, end } = await makeWorld();
    const wire = await startWire(service.baseUrl);
    const running = listen([], { env: { INNKEEP_BASE_URL: wire.url } });
    await listening();
    await wire.cut();
    const missed = [await report(), await report()];
    expect(receiver.received.map(({ data }) => data.feedbackId)).not.toContain(missed[0]);
    await wire.mend();
    await eventually(() =>
      expect(receiver.received.slice(-2).map(({ data }) => data.feedbackId)).toEqual(missed),
    );
    end();
    const { stderr } = await running;
    expect(stderr).toContain("Trying again until the server answers.");
    expect(stderr).toContain("The server answers again.");
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(receiver.received.length);
  });

  it("continues after a reset of the server", async () => {
    const { listen, receiver, report, listening, end } = await makeWorld();
    await service.request("POST", "/dev/clock", { body: { advance: "P10D" } });
    const running = listen();
    await listening();
    await service.request("POST", "/dev/reset");
    receiver.received.length = 0;
    const thread = await report();
    await eventually(() => expect(receiver.received.at(-1)?.data.feedbackId).toBe(thread));
    end();
    expect((await running).stderr).toContain("The server was reset or restored.");
  });

  it("sends the last event again with the same id if a person presses r", async () => {
    const { listen, receiver, listening, end } = await makeWorld();
    let press: (key: string) => void = () => {};
    const running = listen([], {
      terminal: true,
      keys(given) {
        press = given;
      },
    });
    await listening();
    await eventually(() => expect(receiver.received.length).toBeGreaterThan(0));
    const before = receiver.received.length;
    press("x");
    press("r");
    await eventually(() => expect(receiver.received.length).toBeGreaterThan(before));
    end();
    const { stdout } = await running;
    expect(stdout).toContain("(again)");
    const ids = receiver.received.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length - 1);
  });

  it.each([
    [["--forward-to", "ftp://127.0.0.1/x"], "--forward-to must be an address"],
    [["--forward-to", "http://kim:hunter2@web.example/x"], "an address of this machine, not of web.example."],
    [
      ["--forward-to", "http://93.184.216.34/x"],
      "Allowed are localhost, names that end with .localhost, and",
    ],
    [["--events", "feedback.create"], "(Did you mean feedback.created?)"],
    [["--events", "nothing.*"], "There is no event `nothing.*`."],
    [["--since", "yesterday"], "--since must be a length of time such as 2h"],
    [["--since", "2026-99-99"], "--since must be a day such as"],
  ])("refuses %s", async (flags, message) => {
    const { listen } = await makeWorld();
    const { exit, stdout, stderr } = await listen(flags);
    expect([exit, stdout, stderr]).toEqual([2, "", expect.stringContaining(message)]);
    expect(stderr).not.toContain("hunter2");
  });

  it("names the scope that the token does not have", async () => {
    const owner = await service.makeUser();
    const { id } = await service.makeApp(owner);
    const token = await service.makeToken(owner, "maintainer", { scopes: ["feedback:read"] });
    const line = await createCommandLine({ INNKEEP_BASE_URL: service.baseUrl, INNKEEP_TOKEN: token });
    const { exit, stderr } = await line.run(["dev", "listen", "--forward-to", ":9/x", "--app", id]);
    expect([exit, stderr]).toEqual([5, expect.stringContaining("`events:read`")]);
  });
});

const portOf = (server: Server): number => {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
};

/** A proxy to a server. Its connection can be cut and restored. */
async function startWire(target: string) {
  const { port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {});
    }
    near.pipe(far).pipe(near);
  });
  const open = async (at: number) => {
    server.listen(at, "127.0.0.1");
    await once(server, "listening");
  };
  const cut = async () => {
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await closed;
  };
  await open(0);
  const own = portOf(server);
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { url: `http://127.0.0.1:${own}`, cut, mend: () => open(own) };
}
