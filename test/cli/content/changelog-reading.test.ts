import { describe, expect, it } from "vitest";
import { readChangelogFile } from "../../../src/cli/changelog/notes/changelog-file.lazy.ts";
import { processorTime } from "../../support/processor-time.ts";
import { fc } from "../../support/property.ts";

const lines = fc.constantFrom(
  ...[
    "# Changelog",
    "## [1.0.0] - 2026-01-15",
    "## v1.1.0",
    "### 1.0.1 (2026-02-30)",
    "## Unreleased",
    "2.0.0",
  ],
  ...[
    "=====",
    "### Added",
    "### Notes",
    "- Maps",
    "  - Inner",
    "* [NEW] Lists",
    "1. One",
    "```",
    "<!--",
    "-->",
    "---",
  ],
  ...[
    "",
    "Words.",
    "    code",
    "> quoted",
    "[1.0.0]: https://example.org",
    "**1.2.0**",
    "\t- tab",
    "- - -",
    "[x]: <",
  ],
);
const files = fc.array(lines, { maxLength: 40 }).map((all) => all.join("\n"));

describe("the reader of changelogs", () => {
  it("fails for no text, and reads Windows line ends as other line ends", () => {
    fc.assert(
      fc.property(files, (text) => {
        const read = readChangelogFile(text);
        expect(readChangelogFile(text.replaceAll("\n", "\r\n"))).toEqual(read);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => void readChangelogFile(text)),
    );
  });

  it("reads the same notes from a text that was written from these notes", () => {
    fc.assert(
      fc.property(files, (text) => {
        for (const { notes } of readChangelogFile(text).releases) {
          const again = readChangelogFile(`## 9.9.9\n\n${notes.body}`).releases[0];
          if (/^(?:#|.*\n=|\*\*)/m.test(notes.body)) continue;
          expect(again?.notes.items).toEqual(notes.items);
        }
      }),
    );
  });

  it.each(["[", "[a](", "- ", "* ", "> ", "`", "## 1.0.0 - ", "#", "-", "<!--", "\t", "![", "1. "])(
    "needs little time for many repetitions of %j",
    (part) => {
      const spent = processorTime();
      readChangelogFile(`## 1.0.0\n\n${part.repeat(20_000)}\n${`${part}x\n`.repeat(2_000)}`);
      expect(spent()).toBeLessThan(8_000);
    },
  );
});
