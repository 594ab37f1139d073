import type { Argument, Option } from "commander";
import { choices } from "./choices.ts";
import { profileKeys } from "./settings.ts";
import { allKinds, wordOf } from "./store-credential.ts";

/**
 * The command that lists an argument's values. `value` and `name` are the fields with the value and its description.
 */
export interface Listing {
  readonly command: readonly string[];
  readonly value: string;
  readonly name: string;
}

const faqs: Listing = { command: ["faq", "list"], value: "id", name: "question" };

const faqDrafts: Listing = { command: ["faq", "list", "--drafts"], value: "id", name: "question" };

const releases: Listing = { command: ["changelog", "list"], value: "id", name: "version" };

const threads: Listing = { command: ["feedback", "list"], value: "id", name: "subject" };

const profiles: Listing = { command: ["config", "list"], value: "name", name: "server" };

const slots: Listing = { command: ["slot", "list"], value: "slotId", name: "app.name" };

const openSlots: Listing = { command: ["slot", "list", "--open"], value: "openSlotId", name: "appName" };

const listings: Listing = { command: ["listing", "list"], value: "id", name: "appName" };

const apps: Listing = { command: ["app", "list"], value: "id", name: "name" };

const keys: Listing = { command: ["key", "list"], value: "id", name: "label" };

const tokens: Listing = { command: ["token", "list"], value: "id", name: "label" };

const views: Listing = { command: ["view", "list"], value: "id", name: "name" };

const reports: Listing = { command: ["feedback", "resend", "--list"], value: "id", name: "subject" };

/**
 * The keys are the words of commands. The values are the commands that list the values of the first argument.
 */
export const listedArguments: Readonly<Record<string, Listing>> = {
  "faq view": faqs,
  "faq edit": faqs,
  "faq delete": faqs,
  "faq reorder": faqs,
  "faq publish": faqDrafts,
  "faq discard": faqDrafts,
  "faq history": faqs,
  "faq restore": faqs,
  "changelog discard": releases,
  "changelog history": releases,
  "changelog restore": releases,
  "changelog view": releases,
  "changelog edit": releases,
  "changelog publish": releases,
  "changelog delete": releases,
  "feedback view": threads,
  "feedback edit": threads,
  "feedback reply": threads,
  "feedback note": threads,
  "feedback resend": reports,
  "feedback discard": reports,
  "config use": profiles,
  "config delete": profiles,
  "slot request": openSlots,
  "slot rotate-key": slots,
  "testing listing view": listings,
  "testing listing edit": listings,
  "testing cycle list": listings,
  "testing cycle create": listings,
  "listing view": listings,
  "listing edit": listings,
  "cycle list": listings,
  "cycle create": listings,
  "view edit": views,
  "view delete": views,
  "feedback merge": threads,
  "feedback snooze": threads,
  "app view": apps,
  "app edit": apps,
  "key revoke": keys,
  "token revoke": tokens,
};

/** The flags whose values come from a list command. */
export const listedFlags: Readonly<Record<string, Listing>> = { "--profile": profiles, "--app": apps };

/**
 * Returns the allowed values of a flag. The parser or the command checks them. Undefined if any text is allowed.
 */
export const choicesOf = ({ argChoices, flags }: Option): readonly string[] | undefined =>
  argChoices ?? fixedOfFlags[flags];

const fixedOfFlags: Readonly<Record<string, readonly string[]>> = {
  "--type <type>": choices.feedbackTypes,
  "--events <types>": choices.eventTypes,
};

/** Returns the allowed values of an argument. Undefined if any text is allowed. */
export const choicesOfArgument = (argument: Argument): readonly string[] | undefined =>
  argument.argChoices ?? fixed[argument.name()];

/** The allowed values of arguments that only the command checks. The keys are the names of the arguments. */
const fixed: Readonly<Record<string, readonly string[]>> = {
  kind: allKinds.map(wordOf),
  key: [...profileKeys],
  event: choices.eventTypes,
  topic: ["options", "exit-codes", "environment"],
};
