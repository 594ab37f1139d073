import type { Fault } from "./fault.ts";

/** Mistakes in the pages. */
export const consoleFaults: readonly Fault[] = [
  {
    name: "HTML in a release note runs on the page",
    file: "server/content/texts/markdown.lazy.ts",
    right:
      '(uploads: string): (text: string) => string {\n  const markdown = new MarkdownIt("default", { html: false,',
    wrong:
      '(uploads: string): (text: string) => string {\n  const markdown = new MarkdownIt("default", { html: true,',
    tests: [
      "test/console/kit",
      "test/content/changelog/page/changelog",
      "test/content/faqs/faq-order",
      "test/content/faqs/page/faqs",
    ],
  },
  {
    name: "a form without an origin is taken",
    file: "server/console/respond.tsx",
    right: "if (!mutates || isOwnOrigin(origin, settings)) return;",
    wrong: "if (!mutates || origin === undefined || isOwnOrigin(origin, settings)) return;",
    tests: ["test/access/sign-in/page"],
  },
  {
    name: "a form that is sent twice at once shows an error, because an await is missing",
    file: "server/console/page-reads.ts",
    right: "return await attempt();",
    wrong: "return attempt();",
    tests: ["test/console/kit"],
  },
  {
    name: "a reply that is sent twice reaches its receiver twice",
    file: "server/feedback/threads/page/forms.ts",
    right: '      params: { id: param("id") },\n      body,\n      idempotencyKey: fields.idempotencyKey,\n',
    wrong: '      params: { id: param("id") },\n      body,\n',
    tests: ["test/feedback"],
  },
  {
    name: "a person takes a thread from somebody who took it a moment before",
    file: "server/feedback/threads/page/forms.ts",
    right: 'body: { assignee: "me", expectedAssignee: fields.text("shownAssignee") || null },',
    wrong: 'body: { assignee: "me" },',
    tests: ["test/feedback"],
  },
  {
    name: "a link leads to another site after the sign-in",
    file: "server/console/links.ts",
    right: 'return url.origin === new URL(consoleUrl).origin && !path.startsWith("//") ? path : otherwise;',
    wrong: "return url.origin === new URL(consoleUrl).origin ? path : otherwise;",
    tests: ["test/console/kit", "test/access/sign-in/page"],
  },
  {
    name: "the browser keeps a page of the console, which the next person at the computer sees",
    file: "server/console/respond.tsx",
    right: '    "Cache-Control": "no-store",\n',
    wrong: "",
    tests: ["test/console/all-pages"],
  },
  {
    name: "a subject with hidden characters deceives the reader of the inbox",
    file: "server/feedback/search/parts.tsx",
    right: "marks={found.marks} />\n  ) : (\n    <Line text={subject} />",
    wrong: "marks={found.marks} />\n  ) : (\n    <>{subject}</>",
    tests: ["test/feedback"],
  },
  {
    name: "a viewer is offered the decision on a plan, and loses the note",
    file: "server/feedback/threads/page/proposal.tsx",
    right: '<Can needs="maintainer">',
    wrong: '<Can needs="viewer">',
    tests: ["test/feedback", "test/access"],
  },
  {
    name: "the next page of the inbox forgets the filter",
    file: "server/feedback/threads/page/desk.tsx",
    right: "next={nextCursor === null ? undefined : at({ cursor: nextCursor })}",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file.
    wrong: "next={nextCursor === null ? undefined : `${links.inbox(app.id)}?cursor=${nextCursor}`}",
    tests: [
      "test/feedback/inbox/inbox-proposals",
      "test/feedback/inbox/inbox",
      "test/feedback/inbox/page/inbox-activity",
    ],
  },
];
