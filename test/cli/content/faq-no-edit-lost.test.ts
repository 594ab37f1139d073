import { describe, expect, it } from "vitest";
import { hashOf, type Item, planOf } from "../../../src/cli/faq/plan.ts";
import type { SeenEntry } from "../../../src/cli/faq/states.ts";
import { fc } from "../../support/property.ts";

const id = "01a1fda4-237d-759b-ad89-7cf5663516dc";
const textOf = (answer: string) => ({ question: "A?", answer });
const hash = (answer: string) => hashOf(textOf(answer));

/**
 * The steps: a person edits on the server, a developer edits in a checkout, and checkouts pull and push, also in CI.
 */
const steps = ["person", "developer", "pull", "push", "ci"] as const;
type Step = { readonly kind: (typeof steps)[number]; readonly who: 0 | 1 };

/** One entry, a server, and two checkouts of the same repository with the same content at first. */
function createModel() {
  const server: { answer: string; pushedHash: string | undefined } = {
    answer: "first",
    pushedHash: undefined,
  };
  const checkouts = [0, 1].map(() => ({
    answer: "first",
    seen: { text: hash("first"), sortOrder: 1 } satisfies SeenEntry as SeenEntry | undefined,
  }));
  let count = 0;

  function itemOf(who: number, filesRule: boolean): Item | undefined {
    const { answer, seen } = checkouts[who] ?? { answer: "", seen: undefined };
    const [item] = planOf({
      entries: [{ file: "a.md", id, sortOrder: 1, ...textOf(answer) }],
      server: [
        {
          id,
          sortOrder: 1,
          ...textOf(server.answer),
          pushedHash: server.pushedHash,
          pushedSortOrder: undefined,
        },
      ],
      seen: new Map(seen ? [[id, seen]] : []),
      ...{ filesRule, prune: false, takes: new Map() },
    });
    return item;
  }

  /** Does a step. Returns the item of a pull or a push, and what the server had before it. */
  return (step: Step) => {
    const checkout = checkouts[step.who];
    if (!checkout) return undefined;
    count += 1;
    const before = { answer: server.answer, wasSeen: checkout.seen?.text === hash(server.answer) };
    if (step.kind === "person") server.answer = `person ${count}`;
    if (step.kind === "developer") checkout.answer = `developer ${count}`;
    if (step.kind === "person" || step.kind === "developer") return undefined;
    const item = itemOf(step.who, step.kind === "ci");
    if (!item || item.action === "conflict") return { item, before };
    if (step.kind === "pull") {
      if (item.action === "newer") checkout.answer = server.answer;
      checkout.seen = { text: hash(server.answer), sortOrder: 1 };
      return { item, before };
    }
    if (item.action === "change") {
      server.answer = checkout.answer;
      server.pushedHash = hash(server.answer);
    }
    if (step.kind === "push" && item.action !== "newer")
      checkout.seen = { text: hash(server.answer), sortOrder: 1 };
    return { item, before };
  };
}

const sequences = (kinds: readonly (typeof steps)[number][]) =>
  fc.array(fc.record({ kind: fc.constantFrom(...kinds), who: fc.constantFrom(0 as const, 1 as const) }), {
    maxLength: 30,
  });

describe("pulls and pushes of several repositories, and edits in the console, in any order (rule C22),", () => {
  it("lose no edit of a person that the pushing repository has not pulled", () => {
    fc.assert(
      fc.property(sequences(steps), (sequence) => {
        const run = createModel();
        for (const step of sequence) {
          const done = run(step);
          if (step.kind === "pull" || done?.item?.action !== "change") continue;
          if (done.before.answer.startsWith("person")) expect(done.before.wasSeen).toBe(true);
        }
      }),
      { numRuns: 5_000 },
    );
  });

  it("cause no conflict while nobody edits in the console", () => {
    fc.assert(
      fc.property(sequences(["developer", "pull", "push", "ci"]), (sequence) => {
        const run = createModel();
        for (const step of sequence) expect(run(step)?.item?.action).not.toBe("conflict");
      }),
      { numRuns: 2_000 },
    );
  });
});
