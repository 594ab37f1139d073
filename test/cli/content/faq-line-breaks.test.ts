import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import { makeAppWithFaqFiles, makeCheckout } from "../../support/worlds/app-with-faq-files.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
});
afterAll(() => service.stop());

/** Two spaces at the end of a line are a line break in Markdown. */
const answer = "Roses are red,  \nviolets are blue.  \n\n\tcode \t\n- one  \n  two";

/** Four spaces before a line mean a block of code in Markdown. */
const code = "    npm start\n    more";

describe.each([
  ["spaces at the ends of the lines of an answer", answer],
  ["spaces before the first word of an answer", code],
])("%s", (_, answer) => {
  it.each(["faq", "faq.yaml", "faq.json"])("are kept by push and pull with %s", async (path) => {
    const world = await makeAppWithFaqFiles(service);
    const { checkout } = world;
    await world.create("A?", answer);
    await checkout.run(`faq pull ${path}`);
    const stored = async () => (await world.list()).map((entry) => entry.answer);
    expect(await stored()).toEqual([answer]);
    expect((await checkout.run(`faq diff ${path} --exit-code`)).exit).toBe(0);
    const file = path === "faq" ? "faq/a.md" : path;
    const text = await checkout.read(file);
    await checkout.write(
      file,
      text.replace(/blue|more/, (word) => word.toUpperCase()),
    );
    expect((await checkout.run(`faq push ${path} --yes`)).exit).toBe(0);
    expect(await stored()).toEqual([answer.replace(/blue|more/, (word) => word.toUpperCase())]);
    const other = await makeCheckout({ INNKEEP_BASE_URL: service.baseUrl, INNKEEP_API_KEY: world.app.key });
    await other.run(`faq pull ${path}`);
    expect(await other.read(file)).toBe(await checkout.read(file));
  });
});
