import { admin, type Program, startInnkeep } from "./programs.ts";

/** A running server with an app that has 50 FAQ entries, 20 release notes and a thread that awaits a decision. */
export interface DemoServer {
  readonly program: Program;
  readonly port: number;
  readonly appId: string;
  readonly apiKey: string;
  readonly agentToken: string;
  /** The cookie of a person signed in, and the console's origin. */
  readonly person: Readonly<Record<string, string>>;
  readonly threadId: string;
  readonly runId: string;
}

export const email = "bench@example.org";
export const password = "correct horse battery staple";

/** The app of a server and the person whose app it is. */
export interface DemoAccount {
  readonly appId: string;
  readonly userId: string;
}

interface DemoOptions {
  /** Called before the server starts. */
  readonly prepare?: (account: DemoAccount) => Promise<void>;
  /** The `innkeep.cjs` of a build. Default: this build. */
  readonly build?: string | undefined;
}

/** Starts a server with the folder or database that `variables` name, and fills it. */
export async function startDemoServer(
  variables: Record<string, string>,
  { prepare, build }: DemoOptions = {},
): Promise<DemoServer> {
  const run = (argv: readonly string[], input?: string) => admin(argv, variables, { input, build });
  const { userId = "" } = await run(["user", "create", "--email", email, "--password-stdin"], password);
  const { appId = "", apiKey = "" } = await run(["app", "create", "Bench", "--owner", email]);
  const { token: agentToken = "" } = await run(["token", "create", "--kind", "agent", "--owner", email]);
  if (!userId || !appId || !apiKey || !agentToken) throw new Error("The fixture could not be made.");
  await prepare?.({ appId, userId });
  const program = await startInnkeep(variables, build);
  const origin = `http://127.0.0.1:${program.port}`;
  const person = { origin, cookie: await signIn(origin) };
  await fillContent(origin, appId, apiKey, person);
  const threadId = await submit(origin, apiKey);
  const runId = await propose(origin, agentToken, threadId);
  return { program, port: program.port, appId, apiKey, agentToken, person, threadId, runId };
}

/** Proposes a plan on a thread. Returns the id of the proposal. */
export async function propose(origin: string, agentToken: string, threadId: string): Promise<string> {
  const body = { summary: "Open the page once", plan: "1. Guard the handler.\n2. Test it." };
  const headers = { authorization: `Bearer ${agentToken}` };
  return textOf(await post(`${origin}/api/v1/agent/feedback/${threadId}/proposal`, body, headers), "runId");
}

export async function post(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok)
    throw new Error(`POST ${new URL(url).pathname} answered ${answer.status}: ${await answer.text()}`);
  return answer;
}

export async function signIn(origin: string): Promise<string> {
  const answer = await post(`${origin}/api/v1/console/session`, { email, password }, { origin });
  return (answer.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
}

async function fillContent(origin: string, appId: string, apiKey: string, person: Record<string, string>) {
  for (let index = 0; index < 50; index += 1) {
    const faq = {
      question: `How do I do thing ${index}?`,
      answer: "Open the settings, choose the thing. ".repeat(6),
    };
    await post(`${origin}/api/v1/faqs/remote`, faq, { "x-api-key": apiKey });
  }
  for (let index = 0; index < 20; index += 1) {
    const items = [{ type: "fixed", text: "The settings page opens once" }];
    const entry = {
      title: `Release ${index}`,
      version: `1.${index}.0`,
      items,
      publishedAt: new Date(index * 1e9).toISOString(),
    };
    await post(`${origin}/api/v1/console/apps/${appId}/changelog`, entry, person);
  }
}

/** Reports a fault and returns the id of its thread. */
export async function submit(origin: string, apiKey: string): Promise<string> {
  const report = { type: "bug", message: "The settings page closes when it is opened twice." };
  return textOf(await post(`${origin}/api/v1/feedback/remote`, report, { "x-api-key": apiKey }), "id");
}

async function textOf(answer: Response, name: string): Promise<string> {
  const body: Record<string, string> = JSON.parse(await answer.text());
  return body[name] ?? "";
}
