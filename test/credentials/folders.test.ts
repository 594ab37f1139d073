import { win32 } from "node:path";
import { describe, expect, it } from "vitest";
import { configFolder, stateFolder } from "../../src/credentials/folders.ts";

const at = (env: Record<string, string>, platform = "linux") => {
  const place = { env, home: "/home/ada", platform };
  return [configFolder(place), stateFolder(place)];
};

describe("the folders of a person", () => {
  it.each<[string, Record<string, string>, string, string, string]>([
    ["by default", {}, "linux", "/home/ada/.config/innkeep", "/home/ada/.local/state/innkeep"],
    ["on a Mac, too", {}, "darwin", "/home/ada/.config/innkeep", "/home/ada/.local/state/innkeep"],
    ["by XDG", { XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "/s" }, "linux", "/c/innkeep", "/s/innkeep"],
    [
      "by Innkeep's own variable",
      { INNKEEP_CONFIG_DIR: "/i", XDG_STATE_HOME: "/s" },
      "linux",
      "/i",
      "/i/state",
    ],
    ["each by its own variable", { INNKEEP_CONFIG_DIR: "/i", INNKEEP_STATE_DIR: "/j" }, "linux", "/i", "/j"],
    [
      "not by empty variables",
      { INNKEEP_CONFIG_DIR: "" },
      "linux",
      "/home/ada/.config/innkeep",
      "/home/ada/.local/state/innkeep",
    ],
    ["on Windows", { APPDATA: "/r", LOCALAPPDATA: "/l" }, "win32", "/r/innkeep", "/l/innkeep/state"],
  ])("are at the right places: %s", (_, env, platform, config, state) => {
    expect(at(env, platform)).toEqual([config, state]);
  });

  it.each<[string, Record<string, string>, string, string]>([
    [
      "of the person's own drive",
      {
        APPDATA: String.raw`C:\Users\Ada\AppData\Roaming`,
        LOCALAPPDATA: String.raw`C:\Users\Ada\AppData\Local`,
      },
      String.raw`C:\Users\Ada\AppData\Roaming\innkeep`,
      String.raw`C:\Users\Ada\AppData\Local\innkeep\state`,
    ],
    [
      "of a share",
      { APPDATA: String.raw`\\server\people\ada`, LOCALAPPDATA: "D:/local/" },
      String.raw`\\server\people\ada\innkeep`,
      String.raw`D:\local\innkeep\state`,
    ],
    [
      "of the home folder, without the variables",
      {},
      String.raw`C:\Users\Ada\.config\innkeep`,
      String.raw`C:\Users\Ada\.local\state\innkeep`,
    ],
  ])("are at the right places on Windows: %s", (_, env, config, state) => {
    const place = { env, home: String.raw`C:\Users\Ada`, platform: "win32" };
    expect([configFolder(place, win32), stateFolder(place, win32)]).toEqual([config, state]);
  });
});
