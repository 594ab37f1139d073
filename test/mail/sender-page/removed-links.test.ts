import { expect, it } from "vitest";
import { withoutSenderLinks } from "../../../server/mail/sender-page/links.ts";

const token = "aB3_-".repeat(10);

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
    `https://urldefense.example/v2/url?u=https-3A__inn.example_p_t_${token.replaceAll("_", "-5F")}&d=1`,
    "https://urldefense.example/v2/url?u=https-3A__inn.example_p_t_…&d=1",
  ],
  [`cut off: /p/t/${token.slice(0, 49)}`, "cut off: /p/t/…"],
  ["sum_p_t_of_all_of_the_values", "sum_p_t_of_all_of_the_values"],
  ["https://shop.example/p/t/shirts", "https://shop.example/p/t/shirts"],
])("the secret of a sender's page is removed from %j", (text, wanted) => {
  expect(withoutSenderLinks(text)).toBe(wanted);
});
