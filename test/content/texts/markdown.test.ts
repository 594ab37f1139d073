import { describe, expect, it } from "vitest";
import { createMarkdown, createPlainText } from "../../../server/content/texts/markdown.lazy.ts";

const markdown = createMarkdown("https://example.org/uploads/");

describe("Markdown in the console", () => {
  it("links to the web and to mail addresses, without a referrer", () => {
    expect(markdown("[a](https://a.example) [b](mailto:b@b.example)")).toBe(
      '<p><a href="https://a.example" rel="noopener noreferrer nofollow">a</a> ' +
        '<a href="mailto:b@b.example" rel="noopener noreferrer nofollow">b</a></p>\n',
    );
  });

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "&#106;avascript:alert(1)",
    "java&#10;script:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "/console/sign-out",
    "//evil.example",
  ])("creates no link to %s", (address) => {
    expect(markdown(`[a](${address}) <${address}> ![b](${address})`)).not.toMatch(/<(a|img)\b/);
  });

  it("shows images of the server's uploads, and shows other images as links", () => {
    expect(markdown("![a](https://example.org/uploads/a.png)")).toContain(
      '<img src="https://example.org/uploads/a.png" alt="a">',
    );
    expect(markdown("![<b>](https://evil.example/a.png)")).toBe(
      '<p><a href="https://evil.example/a.png" rel="noopener noreferrer nofollow">&lt;b&gt;</a></p>\n',
    );
  });

  it.each([
    "../console/data/1/download",
    "%2e%2e/console/data/1/download",
    "..%2fconsole",
    "..\\\\console",
    "a.png?x=1",
    "a.png#x",
    "a/b.png",
    ".",
    "",
  ])("shows %s below the address of the uploads as a link", (name) => {
    const html = markdown(`![a](https://example.org/uploads/${name})`);
    expect(html).not.toContain("<img");
    expect(html).toContain("<a href=");
  });

  it("shows HTML as text", () => {
    expect(markdown("<script>alert(1)</script>\n\na <img src=x onerror=alert(1)>")).not.toMatch(
      /<(script|img)/,
    );
  });
});

describe("Markdown as plain text", () => {
  const plainText = createPlainText();

  it.each([
    [
      "paragraphs",
      "# Ovens\n\nThey **heat**,\nand `spin`.  \nWell.",
      "Ovens\n\nThey heat,\nand spin.\nWell.",
    ],
    ["a tight list", "New:\n\n- One\n- Two\n  - Deep\n- Three", "New:\n\n- One\n- Two\n  - Deep\n- Three"],
    ["a loose list with numbers", "9. One\n\n   More\n\n10. Two", "9. One\n\n   More\n\n10. Two"],
    ["a quotation", "> One\n>\n> - Two", "> One\n>\n> - Two"],
    ["a block of code", "```js\nlet a;\n\nlet b;\n```", "    let a;\n\n    let b;".trim()],
    ["a line", "One\n\n***\n\nTwo", "One\n\n---\n\nTwo"],
    ["a table", "| A | B |\n|---|---|\n| 1 | [2](https://b.example) |", "A | B\n1 | 2 (https://b.example)"],
    ["a link", "See [the *page*](https://a.example/x).", "See the page (https://a.example/x)."],
    ["a link without another text", "<https://a.example> <a@b.example>", "https://a.example a@b.example"],
    ["a picture", "![An oven](https://a.example/o.png)", "An oven (https://a.example/o.png)"],
    ["HTML", "<b>bold</b>", "<b>bold</b>"],
    ["entities", "a &amp; b \\* c", "a & b * c"],
  ])("keeps %s", (_, markdown, expected) => {
    expect(plainText(markdown)).toBe(expected);
  });

  it.each([
    ["emphasis of thousands of levels", `${"*".repeat(9_999)}a${"*".repeat(9_999)}`],
    ["thousands of words with emphasis", "*a* ".repeat(5_000)],
    ["thousands of items", "- a\n".repeat(5_000)],
    ["many levels of quotations", `${"> ".repeat(40)}a`],
  ])("reads %s", (_, markdown) => {
    expect(plainText(markdown)).toContain("a");
  });

  it("makes no link to an address that a page would not link to", () => {
    expect(plainText("[a](javascript:alert)")).toBe("[a](javascript:alert)");
  });
});
