import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { AwsClient } from "aws4fetch";
import { vi } from "vitest";
import { end, startCephCluster } from "./ceph-cluster.ts";

const programs = ["ceph", "ceph-mon", "ceph-osd", "radosgw", "radosgw-admin", "monmaptool", "ceph-authtool"];

/** Whether this machine has Debian's Ceph, and may start it. */
export const hasObjectStore =
  userInfo().uid === 0 && programs.every((program) => existsSync(`/usr/bin/${program}`));

/** The text in the titles of tests that need it. */
export const needsObjectStore = "needs Ceph's S3 store, which .ci/run installs, and root";

/** An S3 store on this machine: that of Ceph, with its objects in memory. */
export interface ObjectStore {
  /** A new bucket, and its address for INNKEEP_S3_URL. */
  makeBucket(folder?: string): Promise<Bucket>;
  /** Kills the server of the store. The objects stay. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Pauses the server of the store, like a store that does not answer, and lets it continue. */
  hang(): void;
  goOn(): void;
  remove(): Promise<void>;
}

export interface Bucket {
  readonly url: string;
  /** The names of the objects. */
  names(): Promise<string[]>;
  /** A direct request to the store, without our own client. */
  request(method: string, name: string, body?: string | Buffer): Promise<Response>;
}

const [accessKeyId, secretAccessKey] = ["innkeep", "hunter/2+very=secret"];
const patience = { timeout: 60_000, interval: 50 };

export async function startObjectStore(): Promise<ObjectStore> {
  const cluster = await startCephCluster();
  const host = `127.0.0.1:${cluster.port}`;
  const begin = async () => {
    const child = cluster.begin("radosgw", "-n", "client.admin");
    await vi.waitFor(() => fetch(`http://${host}/`), patience);
    return child;
  };
  const keys = [`--access-key=${accessKeyId}`, `--secret-key=${secretAccessKey}`];
  const user = ["user", "create", "--uid=innkeep", "--display-name=Innkeep"];
  let gateway = await cluster
    .run("radosgw-admin", ...user, ...keys)
    .then(begin)
    .catch(async (error) => {
      await cluster.remove();
      throw error;
    });
  let buckets = 0;
  return {
    async makeBucket(folder = "") {
      buckets += 1;
      return createBucket(host, `bucket-${buckets}`, folder);
    },
    kill: () => end(gateway),
    async start() {
      gateway = await begin();
    },
    hang: () => void gateway.kill("SIGSTOP"),
    goOn: () => void gateway.kill("SIGCONT"),
    remove: cluster.remove,
  };
}

async function createBucket(host: string, name: string, folder: string): Promise<Bucket> {
  const client = new AwsClient({ accessKeyId, secretAccessKey, service: "s3", region: "us-east-1" });
  const address = `http://${host}/${name}`;
  const made = await client.fetch(address, { method: "PUT" });
  if (!made.ok) throw new Error(await made.text());
  const keys = `${encodeURIComponent(accessKeyId)}:${encodeURIComponent(secretAccessKey)}`;
  return {
    url: `http://${keys}@${host}/${name}${folder === "" ? "" : `/${folder}`}`,
    async names() {
      const listed = await (await client.fetch(`${address}?list-type=2`)).text();
      return [...listed.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = ""]) => key);
    },
    request: (method, object, body) =>
      client.fetch(`${address}/${object}`, {
        method,
        body: body === undefined ? null : new Uint8Array(Buffer.from(body)),
      }),
  };
}
