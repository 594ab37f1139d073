import { v7 } from "uuid";
import { users } from "../../../server/access/accounts/store.ts";
import { hashPassword } from "../../../server/secrets/passwords.ts";
import type { Service } from "../service/service.ts";

export interface TestAccount {
  readonly id: string;
  readonly email: string;
  readonly password: string;
}

/** An account that can sign in. */
export async function makeAccount({ deps }: Service, email = `${v7()}@example.org`): Promise<TestAccount> {
  const password = "correct horse battery staple";
  const passwordHash = await hashPassword(password);
  const createdAt = deps.clock.now().toISOString();
  const user = { id: v7(), email, passwordHash, createdAt, emailVerifiedAt: createdAt };
  await deps.database.write((tx) => users.insert(tx, user));
  return { id: user.id, email, password };
}

/** Signs in as a program would; the answer has the cookie. */
export const postSession = (
  { request }: Service,
  body: { email: string; password: string },
  headers: Record<string, string> = {},
) => request("POST", "/api/v1/console/session", { headers, body });

/** The session cookie of an answer, as a browser sends it back. */
export const cookieOf = ({ headers }: { headers: Headers }): string =>
  headers.get("set-cookie")?.split(";", 1)[0] ?? "";
