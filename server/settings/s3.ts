import { SettingError } from "./setting-error.ts";
import { type Environment, isLoopback, type S3Settings } from "./settings.ts";

/**
 * Returns the S3 store of the files. Undefined if INNKEEP_S3_URL is not set. Throws a SettingError for a wrong value.
 * The message never quotes the URL, because it contains a secret.
 */
export function s3Of(environment: Environment): S3Settings | undefined {
  const { INNKEEP_S3_URL: given } = environment;
  if (!given) return undefined;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const style = url?.searchParams.get("style") ?? "path";
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  if (!url || !isWeb || url.hash || !["path", "host"].includes(style)) throw wrongForm();
  if (url.protocol === "http:" && !isLoopback(url.hostname) && url.searchParams.get("tls") !== "off")
    throw new SettingError(
      `INNKEEP_S3_URL must begin with https://, or end with \`?tls=off\` for a store on a private network: without encryption, other computers on the network can read the files.`,
    );
  const [bucket = "", ...folders] = url.pathname
    .replace(/^\//, "")
    .replace(/(?<!\/)\/+$/, "")
    .split("/");
  const folder = folders.join("/");
  if (!/^[a-zA-Z0-9][a-zA-Z0-9._-]{1,61}[a-zA-Z0-9]$/.test(bucket)) throw wrongForm();
  if (!/^[a-zA-Z0-9._/-]*$/.test(folder)) throw wrongForm();
  return {
    address:
      style === "host" ? `${url.protocol}//${bucket}.${url.host}` : `${url.protocol}//${url.host}/${bucket}`,
    bucket,
    prefix: folder === "" ? "" : `${folder}/`,
    region: regionOf(url),
    ...keysOf(url, environment),
  };
}

const wrongForm = () =>
  new SettingError(
    `INNKEEP_S3_URL must be an address such as https://KEY:SECRET@s3.eu-central-1.amazonaws.com/bucket or https://HOST/bucket/folder?region=REGION, ` +
      "with key and secret in percent-encoding. With `?style=host`, the bucket is in the host name.",
  );

const withoutKeys = () =>
  new SettingError(
    `INNKEEP_S3_URL has no key and secret. Write them as https://KEY:SECRET@…, in percent-encoding, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
  );

function regionOf({ hostname, searchParams }: URL): string {
  const region = searchParams.get("region") ?? /^s3[.-]([a-z0-9-]+)\.amazonaws\.com/.exec(hostname)?.[1];
  if (region === undefined) return "us-east-1";
  if (/^[a-zA-Z0-9-]+$/.test(region)) return region;
  throw wrongForm();
}

type Keys = Pick<S3Settings, "accessKeyId" | "secretAccessKey">;

function keysOf(url: URL, environment: Environment): Keys {
  const accessKeyId = url.username === "" ? environment.AWS_ACCESS_KEY_ID : decoded(url.username);
  const secretAccessKey = url.username === "" ? environment.AWS_SECRET_ACCESS_KEY : decoded(url.password);
  if (!accessKeyId || !secretAccessKey) throw withoutKeys();
  return { accessKeyId, secretAccessKey };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw wrongForm();
  }
}
