import { describe, expect, it } from "vitest";
import {
  type AppWithFaqFiles,
  type FaqCheckout,
  withFaqFiles,
} from "../../support/worlds/app-with-faq-files.ts";

let world: AppWithFaqFiles;
let checkout: FaqCheckout;
withFaqFiles((made) => {
  world = made;
  checkout = world.checkout;
});

describe.each(["docs/faq.yaml", "faq.yml", "faq.json"])("the list file %s", (path) => {
  it("contains the whole FAQ, and can be pulled, changed and pushed", async () => {
    const id = await world.create("A?", "Line one.\nLine two.");
    await world.create("B?");
    await checkout.run(`faq pull ${path}`);
    expect(await checkout.read(path)).toContain(id);
    const text = await checkout.read(path);
    await checkout.write(path, text.replace("Line two.", "Line 2."));
    expect((await checkout.run(`faq push ${path} --yes`)).stdout).toContain(`change    ${path}#1  ${id}`);
    await world.edit(id, { question: "A now?" });
    expect((await checkout.run(`faq pull ${path} --json`)).json()).toMatchObject({ changed: [{ id }] });
    const before = await checkout.read(path);
    expect(before).toContain("A now?");
    const added = path.endsWith("json")
      ? before.replace(/\n\]\n$/, ',\n  {"question": "C?", "answer": "So."}\n]\n')
      : `${before}# A comment.\n- question: C?\n  answer: So.\n`;
    await checkout.write(path, added);
    expect((await checkout.run(`faq push ${path} --yes`)).exit).toBe(0);
    const [, , c] = await world.list();
    expect(await checkout.read(path)).toContain(c?.id ?? "none");
    if (!path.endsWith("json")) expect(await checkout.read(path)).toContain("# A comment.");
    expect((await checkout.run(`faq diff ${path} --exit-code`)).exit).toBe(0);
    await world.remove(id);
    expect((await checkout.run(`faq pull ${path} --json`)).json()).toMatchObject({ deleted: [{ id }] });
    expect(await checkout.read(path)).not.toContain(id);
  });
});
