import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { startInnkeep } from "innkeep/testing";
import { reportBug, whatIsNew } from "./app.js";

const seed = {
  apps: [
    {
      name: "Atlas",
      changelog: [{ title: "Night mode", version: "2.0.0", publishedAt: "2031-03-02T09:00:00Z" }],
    },
  ],
};

let innkeep;

before(async () => {
  innkeep = await startInnkeep({ seed });
  Object.assign(process.env, innkeep.env);
});
beforeEach(async () => {
  await innkeep.reset();
  await innkeep.setTime("2031-03-01T09:00:00Z");
});
after(() => innkeep.stop());

/** What an agent sees of a thread. */
async function threadOf(id) {
  const headers = { authorization: `Bearer ${innkeep.agentToken}` };
  const answer = await fetch(`${innkeep.baseUrl}/api/v1/agent/feedback/${id}`, { headers });
  return answer.json();
}

test("a report arrives", async () => {
  const id = await reportBug("The map is upside down.");
  assert.equal((await threadOf(id)).feedback.message, "The map is upside down.");
});

test("a report is sent again if the server is busy", async () => {
  await innkeep.addFault({ path: "/api/v1/feedback", status: 503, times: 2 });
  const id = await reportBug("The compass spins.");
  assert.equal((await threadOf(id)).feedback.occurrences, 1);
});

test("a release note appears when its time has come", async () => {
  assert.deepEqual(await whatIsNew(), []);
  await innkeep.advance("1d");
  assert.deepEqual(await whatIsNew(), ["Night mode"]);
});
