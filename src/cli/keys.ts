import type { AppKey } from "../contract/keys.ts";
import { appIdOf, isId, reachableApps } from "./core/app-id.ts";
import { confirm } from "./core/confirm.ts";
import type { Invocation } from "./core/context.ts";
import { wholeId } from "./core/ids.ts";
import { type Column, note, printList, printOne } from "./core/output.ts";
import { namedApp } from "./core/server-address.ts";

/** A key, and the app that it belongs to. */
interface KeyOfApp extends AppKey {
  readonly appId: string;
  readonly app: string;
}

/** Lists the keys of the named app, or of all apps of the token. */
export async function listKeys(invocation: Invocation): Promise<undefined> {
  printList(invocation, { items: await allKeys(invocation), columns });
}

const columns: readonly Column<KeyOfApp>[] = [
  { heading: "id", of: ({ id }) => id, isId: true },
  { heading: "app", of: ({ app }) => app },
  { heading: "label", of: ({ label }) => label },
  { heading: "kind", of: ({ kind }) => kind },
  { heading: "prefix", of: ({ prefix }) => prefix },
  { heading: "created", of: ({ createdAt }) => createdAt },
  { heading: "last used", of: ({ lastUsedAt }) => lastUsedAt },
];

async function allKeys(invocation: Invocation): Promise<readonly KeyOfApp[]> {
  const client = invocation.client();
  const wanted = namedApp(invocation) && (await appIdOf(invocation));
  const reachable = await reachableApps(invocation);
  const apps = wanted
    ? [reachable.find(({ id }) => id === wanted) ?? { id: wanted, name: wanted }]
    : reachable;
  const lists = await Promise.all(
    apps.map(async ({ id, name }) => {
      const { items } = await client.keys.list({ params: { appId: id } });
      return items.map((key) => ({ ...key, appId: id, app: name }));
    }),
  );
  return lists.flat();
}

/** Revokes a key. It is looked up only if its id is not whole, or its app is not named. */
export async function revokeKey(invocation: Invocation, given: string): Promise<undefined> {
  const { appId, keyId, name } = await keyOf(invocation, given);
  await confirm(invocation, `Revoke the key ${name}? Apps that use it are refused from then on.`);
  await invocation.client().keys.remove({ params: { appId, keyId } });
  note(invocation, `Revoked the key ${name}.`);
  printOne(invocation, { id: keyId, appId }, () => keyId);
}

/** The app that is named, or the only one of the token; undefined if there are several. */
async function onlyAppOf(invocation: Invocation): Promise<string | undefined> {
  if (namedApp(invocation) !== undefined) return appIdOf(invocation);
  const [app, ...others] = await reachableApps(invocation);
  return others.length === 0 ? app?.id : undefined;
}

async function keyOf(invocation: Invocation, given: string) {
  const onlyApp = isId(given) ? await onlyAppOf(invocation) : undefined;
  if (onlyApp !== undefined) return { appId: onlyApp, keyId: given.toLowerCase(), name: given };
  const keys = await allKeys(invocation);
  const names = keys.map(({ id, label, prefix, app: of }) => ({
    id,
    name: `${label} (${prefix}…) of ${of}`,
  }));
  const keyId = await wholeId(given, {
    thing: "key",
    command: "innkeep key list",
    list: async () => names,
  });
  const key = keys.find(({ id }) => id === keyId);
  const name = names.find(({ id }) => id === keyId)?.name.trim() ?? keyId;
  return { appId: key?.appId ?? (await appIdOf(invocation)), keyId, name };
}
