import { expect, it } from "vitest";
import { createLinks } from "../../../server/console/links.ts";
import { renderInTurns } from "../../../server/console/respond.tsx";
import { Timeline } from "../../../server/feedback/threads/page/timeline.tsx";
import { limits } from "../../../src/contract/limits.ts";
import { reportTexts } from "../../../src/contract/report-texts.ts";
import { OwnedThread } from "../../../src/contract/threads.ts";
import { processorTime } from "../../support/processor-time.ts";

/** The longest possible text of a report that consists of this part. */
const textOf = (part: string): string => part.repeat(limits.message / part.length);

/** About the largest possible metadata with this value, which `make` creates with the given number of parts. */
function metadataOf(make: (count: number) => unknown) {
  const least = Buffer.byteLength(JSON.stringify(make(1_000))) / 1_000;
  return { metadata: { value: make(Math.floor((limits.metadataBytes - 100) / least)) } };
}

it.each([
  ["the same hidden character", { body: textOf("\u200b") }],
  ["different hidden characters", { body: textOf("\u200b\u200c") }],
  ["hidden characters between letters", { body: textOf("a\u200b") }],
  ["many short lines", { body: textOf("a\n") }],
  ["quotation marks", { body: textOf('"') }],
  ["many numbers", metadataOf((count) => Array(count).fill(0))],
  ["many lists", metadataOf((count) => Array(count).fill([0]))],
  ["many objects", metadataOf((count) => Array(count).fill({ a: { b: 0 } }))],
  ["many short lines in metadata", metadataOf((count) => "a\n".repeat(count))],
  ["hidden characters in a value", metadataOf((count) => "a\u00ad".repeat(count))],
  ["hidden characters in many values", metadataOf((count) => Array(count).fill("a\u00adb\u00ad"))],
])(
  "the page of a thread stays small and answers others with 500 repeats that contain %s",
  async (_, hostile) => {
    const page = pageWith(hostile);
    const [longest, spent] = [longestTurn(), processorTime()];
    const html = await renderInTurns(page);
    expect(longest()).toBeLessThan(1_500);
    expect(spent()).toBeLessThan(15_000);
    expect(html.length).toBeLessThan(5 * 1_048_576);
    expect(html.toString()).toContain("498 more reports");
  },
);

/** The conversation of a thread with as many repeats as an answer about a thread contains. */
function pageWith(hostile: { readonly body?: string; readonly metadata?: Record<string, unknown> }) {
  const createdAt = "2026-01-01T00:00:00.000Z";
  const id = "01a1fda4-237d-759b-ad89-7cf5663516dc";
  const texts = Object.fromEntries(reportTexts.map(({ name }) => [name, null]));
  const thread = OwnedThread.parse({
    app: { id, name: "Larder" },
    feedback: {
      ...{ id, consoleUrl: "", subject: "It broke", message: "It broke.", category: "bug", status: "open" },
      ...{ metadata: {}, images: [], videos: [], attachments: [], githubIssueUrl: null, occurrences: 501 },
      ...{ ...texts, createdAt, number: 1, snoozedUntil: null },
    },
    ...{ sender: { name: null, email: null }, tags: [], assignee: null, earlier: null, merged: [] },
    ...{ omittedMessages: 0, latestProposal: null, proposals: [] },
    messages: Array.from({ length: limits.threadMessages }, (_, at) => ({
      id: `${id.slice(0, -3)}${String(at).padStart(3, "0")}`,
      ...{ direction: "inbound", author: "sender", category: "bug", body: "It broke.", createdAt },
      ...{ sender: { name: null, email: null }, metadata: {}, ...hostile },
    })),
  });
  return (
    <Timeline
      thread={thread}
      events={[]}
      links={createLinks("/console")}
      lives={new Map()}
      newest={undefined}
      fresh={undefined}
      settings=""
      repeats={{ until: "", address: () => "" }}
      other={{ older: undefined, newest: undefined }}
    />
  );
}

/** Measures the most processor time in milliseconds that passes between two turns of the event loop. */
function longestTurn(): () => number {
  let longest = 0;
  let turn = processorTime();
  const count = () => {
    longest = Math.max(longest, turn());
    turn = processorTime();
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  return () => {
    clearImmediate(next);
    return Math.max(longest, turn());
  };
}
