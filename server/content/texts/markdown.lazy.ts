import MarkdownIt from "markdown-it";
import { safeAddress } from "../../../src/words/visible.ts";
import { plainTextOf } from "./plain-text.ts";

/**
 * Returns a function that converts Markdown to HTML. HTML in the Markdown is escaped. Links can only lead to web and
 * mail addresses. Only images whose address is `uploads` with the name of a file are shown. All other images become
 * links, because a browser that shows an image sends a request with the cookies of the reader.
 */
export function createMarkdown(uploads: string): (text: string) => string {
  const markdown = new MarkdownIt("default", { html: false, linkify: false, typographer: false });
  markdown.validateLink = (url) => safeAddress(url) !== undefined;
  const { rules } = markdown.renderer;
  const plainImage = rules.image;
  rules.link_open = (tokens, at, options, _, self) => {
    tokens[at]?.attrSet("rel", "noopener noreferrer nofollow");
    return self.renderToken(tokens, at, options);
  };
  rules.image = (tokens, at, options, env, self) => {
    const token = tokens[at];
    const source = String(token?.attrGet("src") ?? "");
    if (isUpload(source, uploads) && plainImage) return plainImage(tokens, at, options, env, self);
    const { escapeHtml } = markdown.utils;
    const label = escapeHtml(token?.content || source);
    return `<a href="${escapeHtml(source)}" rel="noopener noreferrer nofollow">${label}</a>`;
  };
  return (text) => markdown.render(text);
}

/** Whether an address is `uploads` with the name of a file, and nothing else such as `..`, `%2e` or a query. */
const isUpload = (address: string, uploads: string): boolean =>
  address.startsWith(uploads) && /^[\w-]{1,200}(?:\.\w{1,8})?$/.test(address.slice(uploads.length));

/** Returns a function that removes the Markdown syntax from a text. Each paragraph or other block becomes one line. */
export function createWords(): (text: string) => string {
  const markdown = new MarkdownIt("default", { html: false, linkify: false, typographer: false });
  return (text) =>
    markdown
      .parse(text, {})
      .flatMap(({ type, content, children }) =>
        children
          ? [children.map((child) => (/break$/.test(child.type) ? "\n" : child.content)).join("")]
          : type === "fence" || type === "code_block"
            ? [content]
            : [],
      )
      .join("\n")
      .trim();
}

/** Returns a function that converts Markdown to plain text. Links can only lead to web and mail addresses. */
export function createPlainText(): (text: string) => string {
  const markdown = new MarkdownIt("default", { html: false, linkify: false, typographer: false });
  markdown.validateLink = (url) => safeAddress(url) !== undefined;
  return (text) => plainTextOf(markdown.parse(text, {})).trim();
}
