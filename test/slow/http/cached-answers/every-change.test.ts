import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sqlite } from "../../../support/database/databases.ts";
import { eventually } from "../../../support/eventually.ts";
import { endpoints } from "../../../support/service/endpoints.ts";
import type { Service } from "../../../support/service/service.ts";
import { type Act, createActs } from "../../../support/worlds/servers/cached-acts.ts";
import { type CachedWorld, lookAt, makeCachedWorld } from "../../../support/worlds/servers/cached-world.ts";
import { startCachingServers } from "../../../support/worlds/servers/caching-servers.ts";
import { type Change, createLastActs, everyChange } from "../../../support/worlds/servers/every-change.ts";

/** The data that exists before each change. */
const first = ["make a key", "make a token", "sign a device in", "add a FAQ"];
/** Their work continues after the answer. */
const background = ["people.erase", "account.remove"];

describe("a cached answer", () => {
  let place: Awaited<ReturnType<typeof startCachingServers>>;
  beforeAll(async () => {
    place = await startCachingServers(sqlite);
  });
  afterAll(() => place.stop());

  /** Test data with servers that have all answers in their caches, and the actions on it. */
  async function begin({ after = [] }: Pick<Change, "after">) {
    const { server, later } = place;
    const world = await makeCachedWorld(server);
    const acts: Readonly<Record<string, Act>> = {
      ...createActs(world, later),
      ...createLastActs(world, later),
    };
    const act = async (name: string) => {
      if (!acts[name]) throw new Error(`There is no act "${name}".`);
      await acts[name](server);
    };
    for (const name of [...first, ...after]) await act(name);
    await lookTwice(server, world);
    return { world, server, act };
  }

  it.each(everyChange)("is no longer returned after $act, a change by $by", async (change) => {
    const { world, server, act } = await begin(change);
    const before = await lookAt(place.witness, world);
    await act(change.act);
    const own = await lookAt(server, world);
    const truth = await lookAt(place.witness, world);
    if (!background.includes(change.by)) {
      expect(own).toEqual(truth);
      expect(changed(before, truth)).toEqual([...change.shownBy].sort());
    }
    await eventually(async () => {
      const seen = await lookAt(server, world);
      expect(seen).toEqual(await lookAt(place.witness, world));
      expect(changed(before, seen)).toEqual([...change.shownBy].sort());
    });
  });
});

/** The second read comes from the cache. */
async function lookTwice(server: Service, world: CachedWorld): Promise<void> {
  for (let time = 0; time < 2; time += 1) await lookAt(server, world);
}

const changed = (before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>) =>
  Object.keys(before)
    .filter((name) => before[name] !== after[name])
    .sort();

describe("the table of changes", () => {
  /** They change nothing that servers cache, or only answers that nobody has requested before. */
  const others = [
    ...["signIn.exchange", "signIn.await", "signIn.register", "signIn.token", "tester.updateProfile"],
    ...["tester.submitProof", "tester.requestSlot", "slots.decline", "listings.create", "cycles.create"],
    ...["session.create", "session.finish", "session.askPasskey", "session.remove", "session.changePassword"],
    ...["session.firstPassword", "accountLinks.signUp", "accountLinks.finishSignUp", "accountLinks.recover"],
    ...["accountLinks.finishRecovery", "consoleSessions.remove", "consoleSessions.removeOthers"],
    ...["preferences.update", "account.update"],
    "tokens.rotate",
    ...["secondFactor.begin", "secondFactor.confirm", "secondFactor.renewRecoveryCodes"],
    ...["secondFactor.remove", "passkeys.begin", "passkeys.create", "passkeys.remove"],
    ...["apps.create", "appData.import", "keys.create", "tokens.create", "invitations.create"],
    ...["invitations.remove", "threads.renewStatusLink", "readMarks.update", "readMarks.updateAll"],
    ...["tags.create", "tags.update", "tags.merge", "tags.remove", "people.preview", "people.check"],
    // Drafts and earlier texts are not cached. Their publication uses the same statements as an edit.
    ...["consoleFaqs.createDraft", "consoleFaqs.saveDraft", "consoleFaqs.removeDraft", "consoleFaqs.restore"],
    ...["consoleFaqs.publish", "consoleChangelog.saveDraft", "consoleChangelog.removeDraft"],
    "consoleChangelog.restore",
    ...["texts.preview", "texts.addFaqPictures", "texts.addReleasePictures"],
    ...["savedReplies.create", "savedReplies.update", "savedReplies.remove"],
    ...["views.create", "views.update", "views.remove", "notices.change"],
    ...["notices.addBrowser", "notices.removeBrowser"],
    // They change threads with the same functions as a change of one thread.
    ...["bulk.change", "bulk.undo"],
    // A test report creates a thread with the same statements as the report of an app.
    ...["start.sendTestReport", "start.putAway"],
    // The cached data of a key about webhooks is in no answer.
    ...["webhooks.create", "webhooks.update", "webhooks.remove", "webhooks.rotate"],
    ...["webhooks.resend", "webhooks.test", "webhooks.replay"],
    // Adds a message with the same statement as an answer that comes by mail.
    "incomingMails.take",
  ];

  it("contains each endpoint that changes something, or says that it changes no cached answer", () => {
    const changing = endpoints.filter(([, { method }]) => method !== "GET").map(([name]) => name);
    const named = new Set([...everyChange.map(({ by }) => by), ...others]);
    expect(changing.filter((name) => !named.has(name))).toEqual([]);
  });
});
