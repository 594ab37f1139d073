import MarkdownIt from "markdown-it";
import type { ComponentChildren } from "preact";
import { limits } from "../../src/contract/limits.ts";
import { piecesOf } from "../../src/words/hidden.ts";

/** ` by ` and the person who did something. */
export const By = ({
  change,
}: {
  /** Undefined if no member did it, or if the person is unknown. */
  readonly change: { readonly email: string } | undefined;
}) =>
  change === undefined ? null : (
    <>
      {" by "}
      <Line text={change.email} />
    </>
  );

/** Text exactly as a person typed it. Hidden characters are shown as their codes. */
export const UserText = ({
  text,
  exact = false,
}: {
  readonly text: string;
  /** Uses a font in which all characters have the same width, for plans. */
  readonly exact?: boolean;
}) => <div class={exact ? "written exact" : "written"}>{marked(text)}</div>;

/** Like `UserText`, inside a line of text. */
export const Line = ({ text }: { readonly text: string }) => <bdi>{marked(text)}</bdi>;

/** Tells how many characters of these texts are hidden. Shows nothing if there are none. */
export const HiddenCount = ({ texts }: { readonly texts: readonly string[] }) => {
  const count = texts.flatMap(piecesOf).filter(({ kind }) => kind === "hidden").length;
  if (count === 0) return null;
  return (
    <p class="notice attention">
      {count === 1 ? "One character here is" : `${count} characters here are`} invisible or change the
      direction of the text. Each is shown as a mark such as <Mark code="U+202E" name="an example" />.
    </p>
  );
};

const marked = (text: string) =>
  piecesOf(text).map((piece) =>
    piece.kind === "plain" ? piece.text : <Mark key={piece.at} code={piece.code} name={piece.name} />,
  );

const Mark = ({ code, name }: { readonly code: string; readonly name: string }) => (
  <span class="hidden-mark" title={name}>
    {code}
  </span>
);

/** `7`, or `99+` for a number above the highest counted one. (rule F54) */
export const shownCount = (count: number): string =>
  count > limits.mostCounted ? `${limits.mostCounted}+` : String(count);

/** `1 answer`, `2 answers`, `99+ answers`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${shownCount(count)} ${count === 1 ? one : many}`;

/** A link to another site, which does not get the address of this page. Plain text if the address is not safe. */
export const ExternalLink = ({
  to,
  children = to,
}: {
  readonly to: string;
  readonly children?: ComponentChildren;
}) => {
  const address = safeAddress(to);
  if (address === undefined) return <>{children}</>;
  return (
    <a href={address} rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
};

/**
 * Makes a function that converts Markdown to HTML. HTML in the Markdown is escaped. Links lead only to web and mail addresses. Only
 * images below `uploads` are shown; other images become links.
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
    if (source.startsWith(uploads) && plainImage) return plainImage(tokens, at, options, env, self);
    const { escapeHtml } = markdown.utils;
    const label = escapeHtml(token?.content || source);
    return `<a href="${escapeHtml(source)}" rel="noopener noreferrer nofollow">${label}</a>`;
  };
  return (text) => markdown.render(text);
}

const allowed: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** The address if a page may link to it; undefined for others, such as `javascript:` or a path. */
function safeAddress(given: string): string | undefined {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  return url && allowed.has(url.protocol) ? url.href : undefined;
}
