import { v7 } from "uuid";
import { credentialsTopic } from "../../../server/database/transaction.ts";
import type { Deps } from "../../../server/deps.ts";
import { hashOf, mintCredential, randomName } from "../../../server/secrets/secrets.ts";
import type { Role } from "../../../src/contract/endpoint.ts";

export interface AppTraits {
  readonly name: string;
  readonly feedbackEnabled: boolean;
  readonly changelogEnabled: boolean;
  readonly chatWebhookUrl: string | null;
}

export interface TokenTraits {
  readonly scopes?: readonly string[];
  readonly appId?: string;
}

/** Functions that create accounts, apps and credentials directly in the database. */
export type AppMakers = ReturnType<typeof createAppMakers>;

export function createAppMakers({ database, clock, settings }: Deps) {
  const at = () => clock.now().toISOString();
  const makeUser = async (email = `${v7()}@example.org`) => {
    const user = { id: v7(), email };
    await database.insert("users", { ...user, password_hash: "", created_at: at() });
    return user;
  };
  const makeKey = async (appId: string, kind = "full") => {
    const key = mintCredential("sdk_");
    const row = {
      id: v7(),
      app_id: appId,
      label: "",
      kind,
      prefix: "sdk_",
      key_hash: hashOf(key),
      created_at: at(),
    };
    await database.insert("app_keys", row);
    return key;
  };
  return {
    makeUser,
    makeKey,
    async makeApp(owner?: { id: string }, app: Partial<AppTraits> = {}) {
      const ownerId = (owner ?? (await makeUser())).id;
      const id = v7();
      await database.write(async (tx) => {
        await tx.insert("apps", {
          id,
          owner_id: ownerId,
          name: app.name ?? "Demo",
          feedback_enabled: Number(app.feedbackEnabled ?? true),
          changelog_enabled: Number(app.changelogEnabled ?? true),
          chat_webhook_url: app.chatWebhookUrl ?? null,
          created_at: at(),
        });
        await tx.insert("app_members", { app_id: id, user_id: ownerId, role: "owner", created_at: at() });
        tx.signal(credentialsTopic);
      });
      return { id, ownerId, key: await makeKey(id) };
    },
    /** Adds a new account to the members of an app. */
    async makeMember(appId: string, role: Role) {
      const user = await makeUser();
      await database.insert("app_members", { app_id: appId, user_id: user.id, role, created_at: at() });
      return user;
    },
    async makeToken(
      owner: { id: string },
      kind: "agent" | "maintainer",
      { scopes = [], appId }: TokenTraits = {},
    ) {
      const token = mintCredential(kind === "agent" ? "sda_" : "sdm_");
      await database.insert("tokens", {
        id: v7(),
        user_id: owner.id,
        kind,
        label: "test",
        scopes: JSON.stringify(scopes),
        app_id: appId ?? null,
        prefix: token.slice(0, 10),
        token_hash: hashOf(token),
        created_at: at(),
        created_by: "test",
      });
      return token;
    },
    async signIn(user: { id: string }) {
      const session = randomName();
      const expires = new Date(clock.now().getTime() + 30 * 86_400_000).toISOString();
      const row = {
        ...{ id: v7(), token_hash: hashOf(session), user_id: user.id },
        ...{ created_at: at(), expires_at: expires },
      };
      await database.insert("sessions", row);
      return { cookie: `innkeep=${session}`, origin: settings.baseUrl };
    },
  };
}
