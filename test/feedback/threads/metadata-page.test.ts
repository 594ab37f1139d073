import { expect, it, onTestFinished } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { startService } from "../../support/service/service.ts";
import { makeTeam } from "../../support/worlds/members/team.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

async function openTeam() {
  const service = await startService();
  onTestFinished(() => service.stop());
  const team = await makeTeam(service);
  const browser = createBrowserWithoutScripts(service, await service.signIn(team.owner));
  const send = (report: object) => sendFeedback(service, team.app.key, report);
  const open = (id: string) => browser.open(`/console/feedback/${team.app.id}/${id}`);
  return { send, open };
}

const trace = [
  "TypeError: no list",
  ...Array.from({ length: 20 }, (_, at) => `    at step${at} (list.ts:${at})`),
];

it("the page of a thread shows metadata as names and values, and hides long values until a person opens them", async () => {
  const { send, open } = await openTeam();
  const device = { model: "SM-S911B", screen: { width: 1080, height: 2340 }, tags: ["beta", "de"] };
  const large = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`flag${at}`, true]));
  const metadata = {
    name: "مريم",
    none: null,
    blank: "",
    device,
    large,
    trace: trace.join("\n"),
    log: "x".repeat(300),
  };
  const page = await open(await send({ metadata }));
  const part = page.text.slice(page.text.indexOf('id="metadata"'));
  expect(part).toContain("<dt><bdi>name</bdi></dt><dd><bdi>مريم</bdi></dd>");
  expect(part).toContain("<dt><bdi>width</bdi></dt><dd><bdi>1080</bdi></dd>");
  expect(part).toContain("<dt><bdi>1</bdi></dt><dd><bdi>beta</bdi></dd>");
  expect(part).not.toContain("&quot;model&quot;");
  const reading = readingOf({ ...page, text: part });
  for (const words of ["9 entries", "Show 16 more lines", "300 characters"]) expect(reading).toContain(words);
  expect(part).toMatch(/<div class="written">TypeError: no list<\/div><div class="written"> {4}at step0/);
});

it.each([
  ["in a list", { codes: Array(5_000).fill(7), last: 7 }, 4_801],
  ["in lists of lists", { rows: Array(300).fill([7, 7, 7]), last: 7 }, 701],
  ["in few entries", { first: 7, codes: Array(199).fill(7), last: 7 }, 1],
])(
  "the page of a thread shows the first 200 values of metadata %s, and how many more there are",
  async (_, metadata, left) => {
    const { send, open } = await openTeam();
    const page = await open(await send({ metadata }));
    const part = page.text.slice(page.text.indexOf('id="metadata"'));
    expect(part.match(/<dd><bdi>7<\/bdi><\/dd>/g)).toHaveLength(200);
    const reading = readingOf({ ...page, text: part.slice(0, part.indexOf("</section>")) });
    expect(reading).toContain(
      left === 1
        ? "1 more value is not shown here."
        : `${left.toLocaleString("en")} more values are not shown here.`,
    );
    expect(reading).toContain("The API and innkeep feedback view --json show all values.");
  },
);

it("the page of a thread shows 200 values of metadata without a note", async () => {
  const { send, open } = await openTeam();
  const page = await open(await send({ metadata: { codes: Array(199).fill(7), last: 7 } }));
  expect(readingOf(page)).not.toContain("not shown here");
});

it("the page of a thread names the metadata that was dropped, with the reason", async () => {
  const { send, open } = await openTeam();
  const deep = { a: { b: { c: { d: { e: 1 } } } } };
  const id = await send({ metadata: { deep, log: "x".repeat(17_000) } });
  expect(readingOf(await open(id))).toMatch(
    /2 entries were dropped:\s*deep\s*\(nested too deep\)\s*,\s*log\s*\(too large\)/,
  );
  const whole = await open(await send({ metadata: { build: 1 } }));
  expect(readingOf(whole)).not.toContain("dropped");
});

it("a repeat shows only the entries of its metadata that differ from the report, also within objects", async () => {
  const { send, open } = await openTeam();
  const report = (metadata: object) => ({ message: "It broke.", dedupeKey: "one", metadata });
  const id = await send(report({ build: 7, branch: "main", env: { os: "linux", node: "22" }, gone: 1 }));
  await send(report({ build: 8, branch: "main", env: { os: "linux", node: "24" }, deep: { a: null } }));
  const page = await open(id);
  const repeat = page.text.slice(page.text.indexOf('aria-label="Repeat of the report"'));
  const facts =
    /<dl class="metadata">(.*)<\/dl>/s.exec(repeat.slice(0, repeat.indexOf("</article>")))?.[1] ?? "";
  expect(facts).toContain("<dt><bdi>build</bdi></dt><dd><bdi>8</bdi></dd>");
  expect(facts).toContain("<dt><bdi>node</bdi></dt><dd><bdi>24</bdi></dd>");
  expect(facts).toContain("<dt><bdi>a</bdi></dt><dd><bdi>null</bdi></dd>");
  expect(readingOf({ ...page, text: facts })).toMatch(/gone\s*not in this report/);
  for (const same of ["branch", ">os<"]) expect(facts).not.toContain(same);
});
