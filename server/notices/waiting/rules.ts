import type { NoticeKind } from "../../../src/contract/notices.ts";

/** The parts of a notice about one object: a thread, a slot, a cycle or a webhook. */
export interface Item {
  readonly kind: NoticeKind;
  /** How many notices are about the object. */
  readonly count: number;
  readonly link: string;
  /**
   * The subject of the thread, which other people may have written; undefined for objects without a thread.
   */
  readonly words: string | undefined;
  /** Further facts about the object, in our own words. */
  readonly detail: string | undefined;
}

const sentences: Readonly<Record<NoticeKind, readonly [one: string, several: (count: number) => string]>> = {
  report: ["A new report arrived", (count) => `${count} messages arrived in a report`],
  answer: ["A sender answered you", (count) => `A sender answered you ${count} times`],
  assigned: ["A thread was assigned to you", () => "A thread was assigned to you"],
  proposal: ["A proposal waits for a decision", (count) => `${count} proposals were made in a thread`],
  approval: ["An approval expired before an agent began", () => "Approvals expired before an agent began"],
  work: ["Approved work needs you", () => "Approved work needs you"],
  slot: ["A tester requests a slot", (count) => `A slot was requested ${count} times`],
  testers: ["A test has too few testers", () => "A test has too few testers"],
  storm: ["A failure is reported very often", () => "A failure is reported very often"],
  delivery: ["Messages cannot be delivered", () => "Messages cannot be delivered"],
};

/** Returns what happened, in one sentence without a full stop. */
export function sentenceOf({ kind, count, detail }: Pick<Item, "kind" | "count" | "detail">): string {
  const [one, several] = sentences[kind];
  const said = count === 1 ? one : several(count);
  return detail === undefined ? said : `${said}: ${detail}`;
}

const chatSentences: Readonly<Partial<Record<NoticeKind, string>>> = {
  answer: "A sender answered",
  assigned: "A thread was assigned",
  work: "Approved work needs a person",
};

/** Returns the sentence for the chat of an app. It is not addressed to one member. (rule N8) */
export function chatSentenceOf({ kind, detail }: Pick<Item, "kind" | "detail">): string {
  const said = chatSentences[kind] ?? sentences[kind][0];
  return detail === undefined ? said : `${said}: ${detail}`;
}
