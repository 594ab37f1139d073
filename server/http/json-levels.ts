import { malformedJson } from "./malformed-json.ts";
import type { Place } from "./places.ts";
import { deepestNesting } from "./strict-json.ts";

interface Level {
  readonly isArray: boolean;
  key: string;
  awaitsKey: boolean;
}

/** Follows where in a JSON text a reader stands. Meaningless, but harmless, where the text is not JSON. */
export interface Levels {
  enter(isArray: boolean): void;
  leave(): void;
  /** A comma: the next element or member follows. */
  next(): void;
  /** A key with its escapes as they are. */
  setKey(raw: string): void;
  /** Whether a string that begins here is a key. */
  awaitsKey(): boolean;
  /** Which of the places a value that begins here is at. */
  place(): Place | undefined;
}

export function createLevels(places: readonly Place[]): Levels {
  const levels: Level[] = [];
  return {
    enter(isArray) {
      if (levels.length === deepestNesting) throw malformedJson(`nests deeper than ${deepestNesting} levels`);
      levels.push({ isArray, key: "", awaitsKey: !isArray });
    },
    leave() {
      levels.pop();
    },
    next() {
      const level = levels.at(-1);
      if (level) level.awaitsKey = !level.isArray;
    },
    setKey(raw) {
      const level = levels.at(-1);
      if (!level) return;
      level.key = keyOf(raw);
      level.awaitsKey = false;
    },
    awaitsKey: () => levels.at(-1)?.awaitsKey === true,
    place: () => places.find((place) => isAt(levels, place)),
  };
}

function isAt(levels: readonly Level[], place: Place): boolean {
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
