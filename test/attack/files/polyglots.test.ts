import { describe, expect, it } from "vitest";
import type { TestBrowser } from "../../support/browser/browser.ts";
import { withBrowser } from "../../support/browser/with-browser.ts";
import {
  dataUrl,
  gif,
  jpeg,
  mp4,
  pdf,
  png,
  type SampleFile,
  webm,
  webp,
} from "../../support/files/sample-files.ts";
import type { Service } from "../../support/service/service.ts";
import { makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

const scripts = [
  "<script>document.title='ran';fetch('/ran')</script>",
  "<svg xmlns='http://www.w3.org/2000/svg' onload=\"fetch('/ran')\"></svg>",
  "<img src=x onerror=\"document.title='ran';fetch('/ran')\">",
  "*/fetch('/ran');document.title='ran';/*",
  "%PDF-1.4\n1 0 obj<</Type/Catalog/OpenAction<</S/JavaScript/JS(app.launchURL('/ran'))>>>>endobj",
];

/** Thirty-five valid files that contain a script for readers that treat them as another type. */
const polyglots: SampleFile[] = [png, jpeg, webp, gif, mp4, webm, pdf].flatMap((build) =>
  scripts.map((script) => {
    const { bytes, name, mediaType } = build();
    return { name: `${name}.html`, mediaType, bytes: Buffer.concat([bytes, Buffer.from(`\n${script}\n`)]) };
  }),
);

const fieldOf = ({ mediaType }: SampleFile) => (mediaType.startsWith("video/") ? "videos" : "images");

describe("files that are also valid scripts", () => {
  let service: Service;
  let browser: TestBrowser;
  withBrowser(
    (started) => {
      ({ service, browser } = started);
    },
    { environment: { INNKEEP_RATE_LIMITS: "off" } },
  );

  it("are not executed by a browser in any way of opening them", { timeout: 300_000 }, async () => {
    expect(polyglots.length).toBeGreaterThanOrEqual(30);
    const { key, agent } = await makeAppWithAgent(service);
    const context = await browser.newContext();
    const page = await context.newPage();
    const ran: string[] = [];
    context.on("request", (request) => {
      if (request.url().endsWith("/ran")) ran.push(request.url());
    });
    for (const file of polyglots) {
      const isPaper = file.mediaType === "application/pdf";
      const more = isPaper
        ? { attachments: [{ name: file.name, data: dataUrl(file) }] }
        : { [fieldOf(file)]: [dataUrl(file)] };
      const body = { type: "bug", message: "x", ...more };
      const sent = await service.request("POST", "/api/v1/feedback/remote", { headers: key, body });
      const thread = await service.request("GET", `/api/v1/agent/feedback/${sent.field("id")}`, {
        headers: agent,
      });
      const { images, videos, attachments } = Object(thread.body).feedback;
      const [url = ""]: string[] = [
        ...images,
        ...videos,
        ...attachments.map((paper: { url: string }) => paper.url),
      ];
      const { headers } = await fetch(url);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toContain("default-src 'none'; sandbox");
      expect(headers.get("content-type")).toBe(file.mediaType);
      // A download is not a page that the browser opens.
      await page.goto(url).catch(() => {});
      expect(await page.title()).not.toBe("ran");
      await page.goto(`${service.baseUrl}/healthz`);
      const content = ["script", "iframe", "embed", "img"]
        .map((tag) => `<${tag} src="${url}"></${tag}>`)
        .join("");
      await page.setContent(`<!doctype html>${content}<object data="${url}"></object>`, {
        waitUntil: "load",
      });
      expect(await page.title()).not.toBe("ran");
    }
    await context.close();
    expect(ran).toEqual([]);
  });
});
