import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { dataUrl, mp4, pdf, png } from "../../support/files/sample-files.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { p99, timesOf } from "../../support/network/hostile-connections.ts";
import { innkeepServe, innkeepServeInGroup } from "../../support/programs/built-program.ts";
import { memoryGroup } from "../../support/programs/memory-group.ts";
import { quietGoal } from "../../support/torture.ts";

const MB = 1_048_576;

/** The maximum memory that a process has used, in MB. */
const peakOf = (pid: number | undefined): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;

// This test is about memory. On a busy machine, its sender may be slower than a server accepts.
const patient = { INNKEEP_BUDGETS: "headMilliseconds=250000,bodyPatienceMilliseconds=250000" };

/** The JSON of a report with as many and as large files as are allowed. */
function largestReport(): Buffer<ArrayBuffer> {
  const image = dataUrl(png(2 * MB));
  const video = dataUrl(mp4(10 * MB));
  const attachment = { name: "log.pdf", data: dataUrl(pdf(5 * MB)) };
  const report = {
    type: "bug",
    message: "All there is.",
    images: [image, image, image],
    videos: [video, video],
    attachments: [attachment, attachment, attachment],
  };
  return Buffer.from(JSON.stringify(report));
}

it("eight of the largest reports at the same time need less than 200 MB more memory, and small requests are served", async () => {
  const argv = ["--demo", "--port", "0", "--data", await temporaryFolder()];
  const group = await memoryGroup(256);
  const { ready, child } = await (group
    ? innkeepServeInGroup(group, argv, patient)
    : innkeepServe(argv, patient));
  const headers = { "x-api-key": ready.demo.apiKey, "Content-Type": "application/json" };
  const body = largestReport();
  const before = peakOf(child.pid);
  const all = Promise.all(
    Array.from({ length: 8 }, async () => {
      const answer = await fetch(`${ready.baseUrl}/api/v1/feedback/remote`, {
        method: "POST",
        headers,
        body,
      });
      return answer.status;
    }),
  );
  const small: number[] = [];
  const times = await timesOf(async () => {
    small.push((await fetch(`${ready.baseUrl}/api/v1/faqs/remote`, { headers })).status);
  }, all);
  expect(await all).toEqual(Array(8).fill(201));
  const peak = peakOf(child.pid);
  process.stdout.write(
    `Peak ${peak.toFixed(0)} MB, before ${before.toFixed(0)} MB; small requests: p99 ${p99(times).toFixed(0)} ms of ${times.length}\n`,
  );
  expect(peak - before).toBeLessThan(200);
  expect(await group?.killed()).toBe(group && 0);
  expect(small.length).toBeGreaterThan(10);
  expect([...new Set(small)]).toEqual([200]);
  expect(p99(times)).toBeLessThan(quietGoal(100));
});
