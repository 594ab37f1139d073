import { describe, expect, it } from "vitest";
import { deliveryWords } from "../../src/words/thread.ts";

const onlyMail = { onPage: false, missed: 0, reason: null };
const mail = (
  to: string,
  status: "waiting" | "sent" | "bounced" | "failed",
  reason: string | null = null,
) => ({
  ...{ messageId: "m", to, status, reason, settledAt: null },
});

describe("the words about the mails of a reply", () => {
  it.each([
    [[], "Will be mailed to a@b.example, c@d.example."],
    [
      [mail("a@b.example", "waiting"), mail("c@d.example", "waiting")],
      "Will be mailed to a@b.example, c@d.example.",
    ],
    [
      [mail("a@b.example", "sent"), mail("c@d.example", "waiting")],
      "Mailed to a@b.example. Will be mailed to c@d.example.",
    ],
    [
      [
        mail("a@b.example", "waiting", "The mail server cannot be used (ESOCKET)"),
        mail("c@d.example", "sent"),
      ],
      "Waits to be mailed to a@b.example: The mail server cannot be used (ESOCKET). Mailed to c@d.example.",
    ],
    [
      [mail("a@b.example", "bounced", "No such user."), mail("c@d.example", "failed")],
      "Could not be mailed to a@b.example: No such user. Could not be mailed to c@d.example.",
    ],
  ])("say what happened to each of them: %j", (mails, words) => {
    const delivery = { ...onlyMail, mailedTo: ["a@b.example", "c@d.example"] };
    expect(deliveryWords(delivery, mails).join(" ")).toBe(words);
  });
});
