import { expect, it } from "vitest";
import { releaseText } from "../../../server/mail/outgoing/rules.ts";

it("the mail about a release quotes the report, and says how the person can end such mails", () => {
  const release = { appName: "Larder", version: "1.2", title: "Ovens", message: "It broke.\nBadly." };
  const links = { statusUrl: "https://inn.example/p/t/x", stopUrl: "https://inn.example/p/t/x/stop" };
  expect(releaseText({ ...release, ...links, createdAt: "2026-11-23T10:00:00.000Z" })).toBe(
    [
      ...[
        "Larder 1.2 is available: Ovens",
        "",
        "This release is about your message of 2026-11-23:",
        "> It broke.",
        "> Badly.",
      ],
      ...["", "You can answer on your page:", "https://inn.example/p/t/x", "", "-- "],
      ...["To stop mails about releases of Larder:", "https://inn.example/p/t/x/stop"],
    ].join("\n"),
  );
});
