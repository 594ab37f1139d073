import { expect, it } from "vitest";
import { withoutSenderLinks } from "../../../server/domain/mail/sender-links.ts";

const token = "aB3_-".repeat(10);

it.each([
  [`See https://inn.example/p/t/${token}.`, "See https://inn.example/p/t/…."],
  [`<https://inn.example/base/p/t/${token}/stop>`, "<https://inn.example/base/p/t/…/stop>"],
  [
    `https://eur01.safelinks.example/?url=https%3A%2F%2Finn.example%2Fp%2Ft%2F${token}&data=1`,
    "https://eur01.safelinks.example/?url=https%3A%2F%2Finn.example%2Fp%2Ft%2F…&data=1",
  ],
  [`${token} /p/t/${token} /P/T/${token}`, `${token} /p/t/… /P/T/…`],
  ["https://shop.example/p/t/shirts", "https://shop.example/p/t/shirts"],
])("the token of a sender's page is taken out of %j", (text, wanted) => {
  expect(withoutSenderLinks(text)).toBe(wanted);
});
