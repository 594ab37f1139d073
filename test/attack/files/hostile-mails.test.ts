import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ChildProgram, childProgram } from "../../support/programs/child-program.ts";
import { memoryGroup } from "../../support/programs/memory-group.ts";

const from = "From: ada@kitchen.example\r\n";
const plain = `${from}\r\nThanks.\r\n`;
const html = `${from}Content-Type: text/html\r\n\r\n<p>Thanks.</p>`;
const mixed = `${from}Content-Type: multipart/mixed; boundary="b"\r\n\r\n`;
const base64 = `${from}Content-Type: a/b\r\nContent-Transfer-Encoding: base64\r\n\r\n`;

let taker: ChildProgram;
beforeAll(async () => {
  taker = await childProgram(join(import.meta.dirname, "../../support/programs/mail-taker.ts"));
});
afterAll(() => taker.remove());

it.each([
  ["quotations", plain, ">\r\n", 1_000_000],
  ["many quotations", plain, ">\r\n", 12_000_000],
  ["line feeds", plain, "\n", 21_000_000],
  ["a long line", plain, ">", 19_000_000],
  ["line feeds in HTML", html, "\n", 21_000_000],
  ["elements", html, "<div>", 4_000_000],
  ["tables", html, "<table><tr><td>", 1_400_000],
  ["quotations in HTML", html, "<blockquote>a", 1_500_000],
  ["parts", mixed, "--b\r\n\r\n", 2_600_000],
  ["parts with heads", mixed, "--b\r\nContent-Type: text/plain\r\n\r\nx\r\n", 600_000],
  ["pieces of files", base64, "AAA=\r\n", 3_300_000],
  ["headers", from, "a:\r\n", 5_000_000],
  ["forwarded mails", from, "Content-Type: message/rfc822\r\n\r\n", 600_000],
])(
  "a mail that contains only %s does not end a process with 512 MiB of memory",
  async (_, head, part, times) => {
    const group = await memoryGroup(512);
    const TAKER = JSON.stringify({ members: group?.members, memory: 512 * 1_048_576, head, part, times });
    await taker.start({ TAKER }).printed(1);
    expect(await group?.killed()).toBe(group && 0);
  },
);
