import { expect, it } from "vitest";
import { reportTokenOf } from "../../../server/mail/sender-page/links.ts";
import { createNewId, createSealer } from "../../../server/secrets/secrets.ts";
import { withoutSenderLinks } from "../../../src/contract/report-texts.ts";

const reportId = "01a1fda3-dcee-7447-b6de-42c8c3c82f1d";
const token = reportTokenOf(createSealer("s".repeat(32)), { reportId, counter: 1, mailed: true });
const changed = (text: string) => text.replaceAll("-", "-2D").replaceAll("_", "-5F");
const tokenFrom = (start: string) => `${start}${"aB3_-".repeat(10)}`.slice(0, 50);

it.each([
  [`See https://inn.example/p/t/${token}.`, "See https://inn.example/p/t/…."],
  [`<https://inn.example/base/p/t/${token}/stop>`, "<https://inn.example/base/p/t/…/stop>"],
  [
    `https://eur01.safelinks.example/?url=https%3A%2F%2Finn.example%2Fp%2Ft%2F${token}&data=1`,
    "https://eur01.safelinks.example/?url=https%3A%2F%2Finn.example%2Fp%2Ft%2F…&data=1",
  ],
  [`${token} /p/t/${token} /P/T/${token}`, `${token} /p/t/… /P/T/…`],
  [
    `https://a.example/?u=https%253A%252F%252Finn.example%252Fp%252Ft%252F${token}`,
    "https://a.example/?u=https%253A%252F%252Finn.example%252Fp%252Ft%252F…",
  ],
  [
    `https://urldefense.example/v2/url?u=https-3A__inn.example_p_t_${changed(token)}&d=1`,
    "https://urldefense.example/v2/url?u=https-3A__inn.example_p_t_…&d=1",
  ],
  [`cut off: /p/t/${token.slice(0, 49)}`, "cut off: /p/t/…"],
  ["sum_p_t_of_all_of_the_values", "sum_p_t_of_all_of_the_values"],
  ["https://shop.example/p/t/shirts", "https://shop.example/p/t/shirts"],
])("the secret of a sender's page is removed from %j", (text, wanted) => {
  expect(withoutSenderLinks(text)).toBe(wanted);
});

it.each([
  "https://shop.example/p/t/abcdefghijklmnopqrstuvwxyz0123",
  ...["BaH9o9zudEe", "AaH9o9zuZEe", "AaH9o9zudEd"].map(
    (start) => `https://shop.example/p/t/${tokenFrom(start)}`,
  ),
  `https-3A__shop.example_p_t_${tokenFrom("AaH9o9zuZEe")}`,
])("the link %s of another site is kept", (text) => {
  expect(withoutSenderLinks(text)).toBe(text);
});

it("the secret of a sender's page is removed for every id of a report", () => {
  const [sealer, newId] = [createSealer("s".repeat(32)), createNewId()];
  for (let counter = 0; counter < 500; counter++) {
    const made = reportTokenOf(sealer, { reportId: newId(), counter, mailed: false });
    expect(withoutSenderLinks(`https://inn.example/p/t/${made}`)).toBe("https://inn.example/p/t/…");
    expect(withoutSenderLinks(`https-3A__inn.example_p_t_${changed(made)}&d=1`)).toBe(
      "https-3A__inn.example_p_t_…&d=1",
    );
  }
});
