import { describe, expect, it } from "vitest";
import { createMarkdown } from "../../../server/content/texts/markdown.lazy.ts";

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
