import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createLinks } from "../../server/console/links.ts";
import { pages } from "../../server/console/routes.ts";
import { looks, pictureOf } from "../pictures/console/picture-names.ts";
import { consoleScenes } from "../pictures/console/scenes.ts";
import { consolePage } from "./console-page.ts";

describe("docs/console.md", () => {
  it("is generated from the list of scenes", async () => {
    await expect(consolePage()).toMatchFileSnapshot("../../docs/console.md");
  });

  it("shows every page of the console", () => {
    const shown = consoleScenes.map(({ page }) => page);
    const links = createLinks("/console");
    // The short address of a thread only redirects to its page. Similar threads and older messages are parts of it.
    const parts = [
      links.numbered(":appId", ":number"),
      ...["similar", "older"].map((part) => links.thread(":appId", ":id", part)),
    ];
    const all = pages.map(({ at }) => at(links)).filter((path) => !parts.includes(path));
    expect(all.filter((path) => !shown.includes(path))).toEqual([]);
  });

  it("has each picture of the folder, and the folder has no other picture", async () => {
    const drawn = await readdir("docs/pictures/console");
    const named = consoleScenes.flatMap((scene) => looks.map((look) => pictureOf(scene, look)));
    expect(drawn.sort()).toEqual(named.sort());
  });
});
