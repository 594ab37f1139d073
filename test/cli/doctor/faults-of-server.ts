import { writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { certificate, certificateKey } from "../../support/network/certificate.ts";
import { listen } from "../../support/network/recording-server.ts";
import { env, type Planted, type Planting, secrets } from "./planted.ts";

/** A separate server in place of the one without faults. */
const servedBy =
  (answer: Parameters<typeof listen>[0]): Planting =>
  async () =>
    env({ INNKEEP_BASE_URL: await listen(answer) });

export const faultsOfNetwork: readonly Planted[] = [
  {
    fault: "a proxy that is no address",
    plant: () => env({ HTTPS_PROXY: `socks5://me:${secrets.proxy}@proxy:1080` }),
    ...{
      check: "proxy",
      state: "failure",
      what: /HTTPS_PROXY is not the address/,
      next: /unset HTTPS_PROXY/,
    },
  },
  {
    fault: "a proxy in the wrong variable",
    plant: () => env({ ALL_PROXY: `http://me:${secrets.proxy}@proxy:3128` }),
    ...{ check: "proxy", state: "warning", what: /ALL_PROXY is set/, next: /Set HTTPS_PROXY/ },
  },
  {
    fault: "a missing file of authorities",
    plant: () => env({ NODE_EXTRA_CA_CERTS: "/nowhere/ca.pem" }),
    ...{ check: "authorities", state: "failure", what: /ca\.pem, which does not exist/, next: /PEM file/ },
  },
  {
    fault: "certificates that are not checked",
    plant: () => env({ NODE_TLS_REJECT_UNAUTHORIZED: "0" }),
    ...{ check: "certificates", state: "failure", what: /turns the check/, next: /unset NODE_TLS/ },
  },
  {
    fault: "an address that is none",
    plant: () => env({ INNKEEP_BASE_URL: "feedback.example.com" }),
    ...{ check: "address", state: "failure", what: /not the address of a server/, next: /https:/ },
  },
  {
    fault: "a name that has no address",
    plant: () => env({ INNKEEP_BASE_URL: "https://inn.invalid" }),
    ...{ check: "dns", state: "failure", what: /inn\.invalid cannot be looked up/, next: /spelling/ },
  },
  {
    fault: "a server that does not run",
    plant: () => env({ INNKEEP_BASE_URL: "http://127.0.0.1:9" }),
    ...{
      check: "tcp",
      state: "failure",
      what: /does not accept connections \(no program listens at that address\)/,
      next: /innkeep serve/,
    },
  },
  {
    fault: "a certificate of an unknown authority",
    async plant() {
      const server = createServer({ cert: certificate, key: certificateKey }, (_, answer) => answer.end());
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => void server.close());
      return env({ INNKEEP_BASE_URL: `https://127.0.0.1:${Object(server.address()).port}` });
    },
    ...{ check: "tls", state: "failure", what: /not accepted/, next: /NODE_EXTRA_CA_CERTS/ },
  },
];

const date = (offsetMs: number) => new Date(Date.now() + offsetMs).toUTCString();
const healthy = (version: string) => JSON.stringify({ status: "ok", version });

export const faultsOfServer: readonly Planted[] = [
  {
    fault: "a server of something else",
    plant: servedBy((_, response) => void response.end("<h1>It works!</h1>")),
    ...{ check: "server", state: "failure", what: /it is not an Innkeep server/, next: /path and the port/ },
  },
  {
    fault: "a server that is broken",
    plant: servedBy((_, response) => void response.writeHead(502).end("Bad gateway")),
    ...{ check: "server", state: "failure", what: /502|gateway/i, next: /base-url|runs the server/ },
  },
  {
    fault: "a server of another version",
    plant: servedBy((_, response) => void response.end(healthy("2.1.0"))),
    ...{
      check: "versions",
      state: "warning",
      what: /The server has version 2\.1\.0/,
      next: /npm install.*innkeep-2\.1\.0\.tgz/,
    },
  },
  {
    fault: "a clock that is five minutes slow",
    plant: servedBy((_, response) => void response.setHeader("date", date(300_000)).end(healthy("0.0.0"))),
    ...{ check: "clock", state: "failure", what: /\d+ s behind/, next: /timedatectl/ },
  },
  {
    fault: "a token that was revoked",
    plant: () => env({ INNKEEP_TOKEN: secrets.refused }),
    ...{ check: "maintainer token", state: "failure", what: /not accepted/, next: /innkeep auth set token/ },
  },
  {
    fault: "a key in the variable of another kind",
    plant: () => env({ INNKEEP_API_KEY: secrets.agent }),
    ...{ check: "app key", state: "failure", what: /contains an agent token/, next: /INNKEEP_API_KEY/ },
  },
  {
    fault: "a key for a server that only the project names",
    async plant({ line, baseUrl }) {
      await writeFile(join(line.cwd, "innkeep.json"), JSON.stringify({ server: baseUrl }));
      return env({ INNKEEP_BASE_URL: "", INNKEEP_API_KEY: secrets.key });
    },
    ...{ check: "app key", state: "failure", what: /is not sent to/, next: /innkeep config set server/ },
  },
  {
    fault: "no credential at all",
    plant: () => ({}),
    ...{
      check: "credentials",
      state: "warning",
      what: /no key and no token/,
      next: /innkeep auth set token/,
    },
  },
  {
    fault: "an app that the token does not reach",
    plant: () => env({ INNKEEP_TOKEN: secrets.token, INNKEEP_APP: "Lader" }),
    ...{ check: "app", state: "failure", what: /No app is called "Lader"/, next: /--app/ },
  },
];
