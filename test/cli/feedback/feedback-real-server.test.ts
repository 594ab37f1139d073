import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { OwnedThread } from "../../../src/contract/threads.ts";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { send } from "../../support/clients/feedback-sending.ts";
import { jpeg, mov, mp4, pdf, png, type SampleFile, webm, webp } from "../../support/files/sample-files.ts";
import { hangsUp } from "../../support/network/recording-server.ts";
import { responseDroppingProxy } from "../../support/network/response-dropping-proxy.ts";
import { type Service, startService } from "../../support/service/service.ts";

const MB = 1_048_576;
let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** A new app on the real server, and a command line with its key and its owner's token. */
async function newApp(traits: Parameters<Service["makeApp"]>[1] = {}, baseUrl = service.baseUrl) {
  const owner = await service.makeUser();
  const app = await service.makeApp(owner, traits);
  const token = await service.makeToken(owner, "maintainer", { scopes: ["feedback:read", "feedback:write"] });
  const line = await createCommandLine({
    INNKEEP_BASE_URL: baseUrl,
    INNKEEP_API_KEY: app.key,
    INNKEEP_TOKEN: token,
    INNKEEP_APP: app.id,
  });
  const threads = async () => {
    const { json } = await line.run(["feedback", "list", "--json"]);
    return z.object({ items: z.array(z.looseObject({ id: z.string(), occurrences: z.int() })) }).parse(json())
      .items;
  };
  return { line, threads };
}

const read = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());

describe("feedback sent to an Innkeep server", () => {
  it("arrives byte for byte with the maximum number of the largest files", async () => {
    const { line } = await newApp();
    const images = [png(2 * MB), jpeg(2 * MB), webp(2 * MB)];
    const videos = [mp4(10 * MB), webm(10 * MB)];
    const attachments = [1, 2, 3].map((at) => ({ ...pdf(5 * MB), name: `log ${at}.pdf` }));
    const place = ({ name, bytes }: SampleFile) => writeFile(join(line.cwd, name), bytes);
    await Promise.all([...images, ...videos, ...attachments].map(place));
    const flags = (flag: string, files: SampleFile[]) => files.flatMap(({ name }) => [flag, name]);
    const files = [
      ...flags("--image", images),
      ...flags("--video", videos),
      ...flags("--attach", attachments),
    ];
    const sent = await line.run([...send, ...files]);
    const [id = ""] = sent.stdout.split("\n");

    const thread = OwnedThread.parse((await line.run(["feedback", "view", id, "--json"])).json());
    const urls = [
      ...thread.feedback.images,
      ...thread.feedback.videos,
      ...thread.feedback.attachments.map(({ url }) => url),
    ];
    const arrived = await Promise.all(urls.map(read));
    const given = [...images, ...videos, ...attachments].map(({ bytes }) => bytes);
    expect(arrived.map((bytes, at) => bytes.equals(given[at] ?? Buffer.alloc(0)))).toEqual(
      given.map(() => true),
    );
    expect(thread.feedback.attachments.map(({ name }) => name)).toEqual([
      "log 1.pdf",
      "log 2.pdf",
      "log 3.pdf",
    ]);
  });

  it("creates one thread if the answer is lost and the report is sent again", async () => {
    const { line, threads } = await newApp({}, await responseDroppingProxy(service.baseUrl, hangsUp));
    await writeFile(join(line.cwd, "clip.mov"), mov(MB).bytes);
    const once = [...send, "--max-wait", "0s", "--video", "clip.mov"];
    expect(await line.run(once)).toMatchObject({ exit: 75 });
    expect(await line.run(["feedback", "resend", "--all"])).toMatchObject({ exit: 0 });
    expect(await threads()).toHaveLength(1);
    expect(await readdir(join(line.stateFolder, "spool"))).toEqual([]);
  });

  it("creates one thread if the answer is lost and the command tries again immediately", async () => {
    const { line, threads } = await newApp({}, await responseDroppingProxy(service.baseUrl, hangsUp));
    expect(await line.run(send)).toMatchObject({ exit: 0 });
    expect(await threads()).toHaveLength(1);
  });

  it("is added to the open thread with the same dedupe key", async () => {
    const { line, threads } = await newApp();
    await line.run([...send, "--dedupe-key", "build"]);
    const { stderr } = await line.run([...send, "--dedupe-key", "build"]);
    expect(stderr).toBe("Added to feedback that is already open.\n");
    expect(await threads()).toMatchObject([{ occurrences: 2 }]);
  });

  it("is refused if the app has feedback turned off", async () => {
    const { line } = await newApp({ feedbackEnabled: false });
    const { exit, stderr } = await line.run(send);
    expect(exit).toBe(5);
    expect(stderr).toContain("Feedback is turned off for this app.");
  });
});
