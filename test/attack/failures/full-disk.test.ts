import { basename, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { databases, type TestEngine } from "../../support/database/databases.ts";
import { type Volume, volumeKinds } from "../../support/database/full-volume.ts";
import { dataUrl, pdf, png, type SampleFile } from "../../support/files/sample-files.ts";
import { filesIn } from "../../support/files/temporary-folder.ts";
import { innkeep, startInnkeep } from "../../support/programs/built-program.ts";
import { faultsOf } from "../../support/service/refusals.ts";
import { type Answer, request } from "../../support/service/request.ts";

const kinds = await volumeKinds();
const priya = "priya@testers.example";

/** The built program with its data on a volume. */
async function serve({ engine, create }: TestEngine, { folder }: Volume) {
  const data = join(folder, "data");
  const place = ["--data", data];
  if (engine === "postgres") {
    const { address, remove } = await create();
    onTestFinished(remove);
    if ("url" in address) place.push("--database-url", address.url);
  }
  const env = { INNKEEP_RATE_LIMITS: "off", INNKEEP_SECRET: "s".repeat(32) };
  const { ready, child, kill } = await startInnkeep(["--demo", "--port", "0", ...place], env);
  onTestFinished(kill);
  const { baseUrl, demo } = ready;
  const maintainer = { authorization: `Bearer ${demo.maintainerToken}` };
  const get = (path: string, headers: Record<string, string> = maintainer) =>
    request(baseUrl, "GET", `/api/v1${path}`, { headers });
  const post = (
    path: string,
    body: unknown,
    headers: Record<string, string> = { "x-api-key": demo.apiKey },
  ) => request(baseUrl, "POST", `/api/v1${path}`, { headers, body });
  const signIn = { email: priya, password: demo.password, deviceId: "a phone" };
  const device = {
    authorization: `Bearer ${(await post("/testing/auth/token", signIn, {})).field("token")}`,
  };
  return { data, place, pid: child.pid ?? 0, kill, get, post, device, appId: String(demo.appId) };
}

type Served = Awaited<ReturnType<typeof serve>>;

const formOf = (fields: Record<string, string>, field: string, { bytes, mediaType, name }: SampleFile) => {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) form.set(key, value);
  form.append(field, new Blob([new Uint8Array(bytes)], { type: mediaType }), name);
  return form;
};

/** Sends one of each request that an app sends, all different. Returns the answers by request. */
function createSender({ post }: Served) {
  let sent = 0;
  return async () => {
    sent += 1;
    const report = { type: "bug", message: `Report ${sent}. ${"It is long. ".repeat(200)}` };
    const images = [dataUrl(png(100_000 + sent))];
    const [text, faq, picture, form] = await Promise.all([
      post("/feedback/remote", report),
      post("/faqs/remote", { question: `Why ${sent}?`, answer: report.message }),
      post("/feedback/remote", { ...report, images }),
      post("/feedback/remote", formOf(report, "attachments", pdf(80_000 + sent))),
    ]);
    return { text, faq, picture, form };
  };
}

type Answers = Awaited<ReturnType<ReturnType<typeof createSender>>>;

/** The stored data: the ids of threads and questions, the names of files, and the content of the temporary folder. */
async function inventoryOf({ get, appId, data }: Served) {
  const threads: string[] = [];
  for (let cursor: unknown = ""; typeof cursor === "string"; ) {
    const page = Object((await get(`/console/apps/${appId}/feedback?limit=100${cursor}`)).body);
    for (const { id } of page.items) threads.push(id);
    cursor = page.nextCursor && `&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
  const faqs = Object((await get(`/console/apps/${appId}/faqs`)).body);
  const paths = await filesIn(join(data, "files"));
  return {
    threads,
    faqs: (Array.isArray(faqs) ? faqs : faqs.items).map(({ id }: { id: string }) => id),
    files: paths.filter((path) => !path.includes("temporary")).map((path) => basename(path)),
    temporary: paths.filter((path) => path.includes("temporary")),
  };
}

/** Returns what is wrong with refusals: each one must be a 503 with Retry-After. */
const unclean = (answers: readonly Answer[]): string[] =>
  answers
    .filter(({ status }) => status !== 201)
    .flatMap((answer) => (answer.status === 503 ? faultsOf(answer) : [`${answer.status} ${answer.text}`]));

const idsOf = (rounds: readonly Partial<Answers>[], names: readonly (keyof Answers)[]): string[] =>
  rounds.flatMap((taken) => names.flatMap((name) => taken[name]?.field("id") ?? []));

describe.each(databases)("a full disk under a server on $name", (engine) => {
  const title =
    "with $name refuses writes without partial data, answers reads, and continues when there is space";
  it.each(kinds)(title, async (kind) => {
    const volume = await kind.create();
    onTestFinished(() => volume.remove());
    const server = await serve(engine, volume);
    const send = createSender(server);
    const before = await inventoryOf(server);
    const rounds: Partial<Answers>[] = [];
    const faults: string[] = [];
    const sendNoted = async () => {
      const answers = await send();
      faults.push(...unclean(Object.values(answers)));
      const taken = Object.entries(answers).filter(([, { status }]) => status === 201);
      rounds.push(Object.fromEntries(taken));
      return taken.map(([name]) => name);
    };
    const everything = ["text", "faq", "picture", "form"];
    // PostgreSQL uses another disk, so only files cannot be stored.
    const rest = engine.engine === "postgres" ? ["text", "faq"] : [];
    expect(await sendNoted()).toEqual(everything);
    const { tasks } = Object((await server.get("/testing/me/tasks", server.device)).body);
    const sendProof = async () => {
      const fields = { slotId: tasks[0].slotId, capturedAt: new Date().toISOString() };
      return server.post("/testing/proofs", formOf(fields, "images", png(500_000)), server.device);
    };

    await volume.fill(server.pid);
    // A failed request frees a little space, which the next report may use.
    let fullInRow = 0;
    const isFull = async () => {
      fullInRow = String(await sendNoted()) === String(rest) ? fullInRow + 1 : 0;
      return fullInRow;
    };
    await expect.poll(isFull).toBe(5);
    const refused = await sendProof();
    expect(refused.status).toBe(503);
    faults.push(...unclean([refused]));
    const full = await inventoryOf(server);
    expect(full.temporary).toEqual([]);
    expect(full.threads).toEqual(expect.arrayContaining(idsOf(rounds, ["text", "picture", "form"])));

    await volume.free(server.pid);
    await expect.poll(sendNoted).toEqual(everything);
    expect((await sendProof()).status).toBe(201);
    expect(faults).toEqual([]);
    const after = await inventoryOf(server);
    const added = (name: "threads" | "faqs") =>
      after[name].filter((id: string) => !before[name].includes(id));
    expect(added("threads").sort()).toEqual(idsOf(rounds, ["text", "picture", "form"]).sort());
    expect(added("faqs").sort()).toEqual(idsOf(rounds, ["faq"]).sort());
    const files = before.files.length + idsOf(rounds, ["picture", "form"]).length + 1;
    expect(after.files).toHaveLength(files);
    expect(after.temporary).toEqual([]);
    await server.kill();
    expect(await innkeep(["admin", "check", ...server.place])).toMatchObject({ code: 0 });
  });
});
