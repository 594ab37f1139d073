import type { FilePlace } from "./file-places.ts";
import { deepestNesting } from "./strict-json.ts";
import { malformedJson } from "./upload-failure.ts";

interface Level {
  readonly isArray: boolean;
  key: string;
  awaitsKey: boolean;
}

/**
 * Follows the position of a reader in a JSON text. For text that is not JSON the result has no meaning, but does no
 * harm.
 */
export interface Levels {
  enter(isArray: boolean): void;
  leave(): void;
  /** A comma was read: the next element or member follows. */
  next(): void;
  /** A key was read. `raw` has its escapes unchanged. */
  setKey(raw: string): void;
  /** Whether a string that begins here is a key. */
  awaitsKey(): boolean;
  /** The place, among those looked for, of a value that begins here. */
  place(): FilePlace | undefined;
}

export function createLevels(places: readonly FilePlace[]): Levels {
  const levels: Level[] = [];
  // No place lies deeper. The parser decides how deep a text may be nested.
  let deeper = 0;
  return {
    enter(isArray) {
      if (levels.length === deepestNesting) deeper += 1;
      else levels.push({ isArray, key: "", awaitsKey: !isArray });
    },
    leave() {
      if (deeper > 0) deeper -= 1;
      else levels.pop();
    },
    next() {
      const level = deeper > 0 ? undefined : levels.at(-1);
      if (level) level.awaitsKey = !level.isArray;
    },
    setKey(raw) {
      const level = levels.at(-1);
      if (!level || deeper > 0) return;
      level.key = keyOf(raw);
      level.awaitsKey = false;
    },
    awaitsKey: () => deeper === 0 && levels.at(-1)?.awaitsKey === true,
    place: () => (deeper > 0 ? undefined : places.find((place) => isAt(levels, place))),
  };
}

function isAt(levels: readonly Level[], place: FilePlace): boolean {
  return levels.length === place.length && levels.every((level, at) => isStep(level, place[at]));
}

function isStep(level: Level, step: string | undefined): boolean {
  return level.isArray ? step === "*" : step === level.key && step !== "*";
}

function keyOf(raw: string): string {
  if (!raw.includes("\\")) return raw;
  try {
    return String(JSON.parse(`"${raw}"`));
  } catch {
    throw malformedJson("is not valid JSON");
  }
}
