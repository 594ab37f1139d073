import { describe, expect, it } from "vitest";
import {
  type AppWithFaqFiles,
  cloneOf,
  type FaqCheckout,
  markdown,
  withFaqFiles,
} from "../../support/worlds/app-with-faq-files.ts";

let world: AppWithFaqFiles;
let repository: FaqCheckout;
let id: string;
withFaqFiles(async (made) => {
  world = made;
  repository = world.checkout;
  id = await world.create("A?", "First.");
  await repository.run("faq pull");
});

const ci = { CI: "true" };
const file = (answer: string, sortOrder = 1) => markdown({ id, question: "A?", sortOrder }, answer);

/** A push of a CI job, from a fresh checkout that is thrown away afterwards. */
async function pushFromCi() {
  const job = await cloneOf(repository, { ...world.env, ...ci });
  const before = await job.all();
  const ran = await job.run("faq push --yes");
  expect(await job.all()).toEqual(before);
  return ran;
}

describe("a push from CI, which writes nothing into the repository,", () => {
  it("causes no false conflict and creates no entry twice in ten runs", async () => {
    for (let commit = 1; commit <= 10; commit += 1) {
      await repository.write("faq/a.md", file(`Commit ${commit}.`, commit % 3));
      await repository.write("faq/new.md", markdown({ question: "New?" }, `Commit ${commit}.`));
      if (commit > 5) await repository.write("faq/later.md", markdown({ question: "Later?" }, "So."));
      expect(await pushFromCi()).toMatchObject({ exit: 0 });
      expect((await world.list()).map(({ question, answer }) => `${question} ${answer}`).sort()).toEqual(
        [`A? Commit ${commit}.`, `New? Commit ${commit}.`, ...(commit > 5 ? ["Later? So."] : [])].sort(),
      );
    }
    expect((await world.list()).find((entry) => entry.id === id)?.sortOrder).toBe(1);
    expect((await pushFromCi()).stdout).toContain("Nothing to push, 3 the same.");
  });

  it("restores an older text if a commit restores it", async () => {
    await repository.write("faq/a.md", file("Second.", 2));
    await pushFromCi();
    await repository.write("faq/a.md", file("First."));
    expect((await pushFromCi()).exit).toBe(0);
    expect(await world.list()).toMatchObject([{ answer: "First.", sortOrder: 1 }]);
  });

  it("still detects what a person changed after the last push", async () => {
    await repository.write("faq/a.md", file("Second."));
    await pushFromCi();
    await world.edit(id, { answer: "Person." });
    expect((await pushFromCi()).stdout).toContain("changed on the server");
    await repository.write("faq/a.md", file("Third."));
    expect((await pushFromCi()).exit).toBe(7);
    expect(await world.list()).toMatchObject([{ answer: "Person." }]);
    expect((await repository.run(`faq pull --take theirs ${id}`)).exit).toBe(0);
    await repository.write("faq/a.md", file("Person and third."));
    expect((await pushFromCi()).exit).toBe(0);
    expect(await world.list()).toMatchObject([{ answer: "Person and third." }]);
  });

  it("creates an entry once even if two jobs run at the same time", async () => {
    for (let round = 0; round < 10; round += 1) {
      await repository.write(`faq/n${round}.md`, markdown({ question: `New ${round}?` }, "So."));
      const [one, other] = await Promise.all([pushFromCi(), pushFromCi()]);
      expect([one.exit, other.exit]).toEqual([0, 0]);
    }
    expect((await world.list()).map(({ question }) => question).sort()).toEqual(
      ["A?", ...Array.from({ length: 10 }, (_, at) => `New ${at}?`)].sort(),
    );
  });

  it("does not treat the outdated files of a colleague as a change", async () => {
    const colleague = await cloneOf(repository, world.env);
    await repository.write("faq/a.md", file("Second."));
    await pushFromCi();
    await colleague.write("faq/b.md", markdown({ question: "B?" }, "So."));
    expect((await colleague.run("faq push --yes")).stdout).toContain("changed on the server");
    expect(await world.list()).toMatchObject([{ answer: "Second." }, { question: "B?" }]);
  });

  it("creates entries whose ids the next pull writes into the files, without a second file", async () => {
    await repository.write("faq/new.md", markdown({ question: "New?" }, "So."));
    await pushFromCi();
    const made = (await world.list())[1];
    expect((await repository.run("faq pull --json")).json()).toMatchObject({
      added: [],
      changed: [{ id: made?.id }],
    });
    expect(await repository.names()).toEqual(["faq/a.md", "faq/new.md"]);
    expect(await repository.read("faq/new.md")).toBe(`---\nid: ${made?.id}\nquestion: New?\n---\nSo.\n`);
  });
});
