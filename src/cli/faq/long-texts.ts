import { limits } from "../../contract/limits.ts";
import type { TaggedList } from "./api.ts";
import type { FileFault } from "./file-change.ts";
import { changesIn, type Item } from "./plan.ts";
import { faultsError } from "./source.ts";

/**
 * Throws one usage error that names all texts that are too long for an Innkeep server. Other servers have limits of
 * their own, which only they know.
 */
export function refuseLongTexts({ keepsMarks }: TaggedList, items: readonly Item[]): void {
  if (!keepsMarks) return;
  const faults = changesIn(items).flatMap(({ mine }) => (mine ? faultsOf(mine) : []));
  if (faults.length > 0) throw faultsError(faults);
}

function faultsOf({ file, question, answer, sortOrder = 0 }: NonNullable<Item["mine"]>): FileFault[] {
  const outside = sortOrder < limits.sortOrder.min || sortOrder > limits.sortOrder.max;
  return [
    ...tooLong("question", question, limits.question),
    ...tooLong("answer", answer, limits.answer),
    ...(outside ? [`has a sortOrder outside ${limits.sortOrder.min} to ${limits.sortOrder.max}`] : []),
  ].map((message) => ({ file, message }));
}

function tooLong(name: string, text: string, most: number): string[] {
  const length = [...text.trim()].length;
  return length > most
    ? [`has ${/^[aeiou]/.test(name) ? "an" : "a"} ${name} of ${length} characters: at most ${most}`]
    : [];
}
