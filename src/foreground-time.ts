import { limits } from "./contract/limits.ts";
import type { ReportedSession } from "./session-calls.ts";

/** The time that an app is in the foreground, with the screens that were reached. */
export interface ForegroundTime {
  begin(now: Date): void;
  reach(screen: string): void;
  /** Ends the session and gives it; undefined if none began or no screen was reached. */
  end(now: Date): ReportedSession | undefined;
}

const longest = limits.sessionHours * 3_600_000;

export function createForegroundTime(appVersion: string | undefined): ForegroundTime {
  let startedAt: Date | undefined;
  /** The screen that the app shows. The app shows it again when it comes back. */
  let current = "";
  const screens = new Set<string>();

  function add(name: string): void {
    if (startedAt && name !== "" && screens.size < limits.screens) screens.add(name);
  }

  return {
    begin(now) {
      if (startedAt) return;
      startedAt = now;
      add(current);
    },
    reach(screen) {
      current = nameOf(screen);
      add(current);
    },
    end(now) {
      const [began, reached] = [startedAt, [...screens]];
      startedAt = undefined;
      screens.clear();
      if (!began || reached.length === 0) return undefined;
      const length = Math.min(Math.max(now.getTime() - began.getTime(), 0), longest);
      return {
        startedAt: began.toISOString(),
        endedAt: new Date(began.getTime() + length).toISOString(),
        screens: reached,
        ...(appVersion === undefined ? {} : { appVersion }),
      };
    },
  };
}

/** A name as the server accepts it: an invalid screen name must not lose the session. */
function nameOf(screen: string): string {
  const clean = [...screen].filter(isCharacter).join("").trim();
  return [...clean].slice(0, limits.screenName).join("").trim();
}

/** Neither NUL nor half a surrogate pair. */
const isCharacter = (character: string): boolean =>
  character !== "\0" && (character.length > 1 || character < "\ud800" || character > "\udfff");
