import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Server } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { certificate, certificateKey } from "../support/network/certificate.ts";
import { innkeep } from "../support/programs/built-program.ts";

const server = { INNKEEP_BASE_URL: "https://innkeep.test", INNKEEP_API_KEY: "sdk_ofTheTest", CI: "true" };

describe("the command line behind the proxy of a company", () => {
  it("connects to an https server whose certificate one of the extra authorities signed", async () => {
    const { environment, asked } = await network();
    const { code, stdout } = await innkeep(["faq", "list", "--json"], { env: { ...server, ...environment } });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"items":[]}\n' });
    expect(asked).toEqual(["innkeep.test:443"]);
  });

  it("refuses a server with an untrusted certificate, and names the variable", async () => {
    const { environment } = await network();
    const env = { ...server, ...environment, NODE_EXTRA_CA_CERTS: "" };
    const { code, stderr } = await innkeep(["faq", "list"], { env });
    expect(code).toBe(75);
    expect(stderr).toContain(
      "this machine does not trust its certificate. Set NODE_EXTRA_CA_CERTS to a file with the certificate authority of the server",
    );
  });
});

/** An https server that only the proxy can reach, and the environment that a process needs for both. */
async function network() {
  const asked: (string | undefined)[] = [];
  const { port } = await opened(
    createTlsServer({ cert: certificate, key: certificateKey }, (_, response) => void response.end("[]")),
  );
  const proxy = createServer();
  proxy.on("connect", ({ url }, socket) => {
    asked.push(url);
    const there = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      there.pipe(socket).pipe(there);
    });
    for (const end of [there, socket]) end.on("error", () => {});
  });
  const file = join(await temporaryFolder(), "authorities.pem");
  await writeFile(file, certificate);
  const HTTPS_PROXY = `http://127.0.0.1:${(await opened(proxy)).port}`;
  return { asked, environment: { HTTPS_PROXY, NODE_EXTRA_CA_CERTS: file } };
}

async function opened(listening: Server): Promise<AddressInfo> {
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void listening.close());
  const address = listening.address();
  if (typeof address === "object" && address !== null) return address;
  throw new Error("No port was given.");
}
