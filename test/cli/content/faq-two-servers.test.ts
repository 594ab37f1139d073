import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import {
  type AppWithFaqFiles,
  cloneOf,
  type FaqCheckout,
  makeAppWithFaqFiles,
  makeCheckout,
} from "../../support/worlds/app-with-faq-files.ts";

const services: Service[] = [];
let staging: AppWithFaqFiles;
let production: AppWithFaqFiles;
let checkout: FaqCheckout;
beforeAll(async () => {
  for (const _ of ["staging", "production"])
    services.push(await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } }));
});
beforeEach(async () => {
  const [one, other] = services;
  if (!one || !other) throw new Error("Two servers are needed.");
  staging = await makeAppWithFaqFiles(one);
  production = await makeAppWithFaqFiles(other);
  checkout = await makeCheckout({});
});
afterAll(() => Promise.all(services.map((service) => service.stop())));

const at = (world: AppWithFaqFiles, words: string, more: Readonly<Record<string, string>> = {}) =>
  checkout.run(words, { env: { ...world.env, ...more } });
const textsAt = async (world: AppWithFaqFiles) =>
  (await world.list()).map(({ question, answer }) => `${question} ${answer}`);
const same = (count: number) => `Nothing to push, ${count} the same.\n`;

describe.each([
  ["a folder", "faq", "faq/a.md"],
  ["a list file", "faq.yaml", "faq.yaml"],
])("%s with FAQ entries for two servers", (_, path, file) => {
  beforeEach(async () => {
    await staging.create("A?");
    await staging.create("B?");
    await at(staging, `faq pull ${path}`);
  });

  it("can be pushed to the second server as to the first, and its files do not change", async () => {
    const before = await checkout.read(file);
    const first = await at(production, `faq push ${path} --yes`);
    expect(first.stderr).toContain(`These files were used with ${staging.env.INNKEEP_BASE_URL}`);
    expect(await textsAt(production)).toEqual(["A? So.", "B? So."]);
    expect(await checkout.read(file)).toBe(before);
    for (const world of [staging, production])
      expect(await at(world, `faq push ${path} --yes`)).toMatchObject({ stdout: same(2), stderr: "" });
  });

  it("pushes a changed question and answer to both servers, even from a clone in a CI job", async () => {
    await at(production, `faq push ${path} --yes`);
    await checkout.write(file, (await checkout.read(file)).replace("A?", "A now?").replace("So.", "New."));
    const clone = await cloneOf(checkout, {});
    for (const world of [staging, production]) {
      const ran = await clone.run(`faq push ${path} --yes --json`, { env: { ...world.env, CI: "true" } });
      expect(ran.json()).toMatchObject({ changed: [{ question: "A now?" }], created: [], deleted: [] });
      expect(await textsAt(world)).toEqual(["A now? New.", "B? So."]);
    }
  });

  it("records edits and deletions separately for each server", async () => {
    await at(production, `faq push ${path} --yes`);
    const [a, b] = await production.list();
    await production.edit(a?.id ?? "", { answer: "Edited in production." });
    await production.remove(b?.id ?? "");
    expect((await at(staging, `faq diff ${path}`)).stdout).toBe(same(2));
    expect((await at(production, `faq pull ${path} --json`)).json()).toMatchObject({
      changed: [{ id: a?.id }],
      deleted: [{ id: b?.id }],
    });
    expect((await at(staging, `faq push ${path} --yes --json`)).json()).toMatchObject({
      changed: [{ question: "A?" }],
      onlyOnServer: [{ question: "B?", pulled: true }],
    });
    expect(await textsAt(staging)).toEqual(["A? Edited in production.", "B? So."]);
    expect((await at(staging, `faq push ${path} --yes --prune`)).exit).toBe(0);
    expect(await textsAt(staging)).toEqual(["A? Edited in production."]);
  });

  it("finds entries that the second server already has by their questions", async () => {
    const id = await production.create("A?");
    await production.create("C?");
    expect((await at(production, `faq push ${path} --yes --json`)).json()).toMatchObject({
      created: [{ question: "B?" }],
      changed: [],
      onlyOnServer: [{ question: "C?", pulled: false }],
    });
    expect((await production.list()).map((entry) => entry.id)).toContain(id);
    expect((await at(production, `faq pull ${path} --json`)).json()).toMatchObject({
      added: [{ question: "C?" }],
    });
    expect((await at(staging, `faq push ${path} --yes --json`)).json()).toMatchObject({
      created: [{ question: "C?" }],
    });
    for (const world of [staging, production])
      expect((await at(world, `faq diff ${path} --exit-code`)).stdout).toBe(same(3));
  });
});
