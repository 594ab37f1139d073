import { h } from "preact";
import { createMarkdown } from "../markdown.ts";

export interface MarkdownProps {
  readonly text: string;
  /** Where the pictures that may be shown lie. */
  readonly uploads: string;
}

/** Markdown as its readers will see it. The one place where HTML is not made of elements: markdown-it escapes it. */
export const Markdown = ({ text, uploads }: MarkdownProps) =>
  h("div", { class: "markdown", dangerouslySetInnerHTML: { __html: createMarkdown(uploads)(text) } });
