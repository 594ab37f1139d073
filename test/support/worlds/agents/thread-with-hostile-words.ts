import type { Answer } from "../../service/request.ts";
import type { Service } from "../../service/service.ts";
import { allow, exchangeCode, registerProgram } from "../../sign-in/oauth.ts";

/** The text of each author. */
export interface Said {
  readonly public: string;
  readonly team: string;
  readonly agents: string;
  readonly decision: string;
}

const png =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const pdf = `data:application/pdf;base64,${Buffer.from("%PDF-1.4\n%%EOF\n").toString("base64")}`;

/** An account whose people, agents and users have written something hostile into every field. */
export async function makeThreadWithHostileWords(service: Service, said: Said) {
  const owner = await service.makeUser();
  const person = await service.signIn(owner);
  const app = await service.makeApp(owner, { name: short(said.team, 100) });
  const send = sender(service, person);
  const api = "/api/v1/console";
  const agentToken = await send(`${api}/tokens`, {
    kind: "agent",
    label: short(said.public, 100),
    scopes: ["runs:work"],
  });
  const agent = { authorization: `Bearer ${agentToken.field("token")}` };

  const report = reportOf(said);
  const key = { "x-api-key": app.key };
  const feedback = (await send("/api/v1/feedback/remote", report, key)).field("id");
  await send("/api/v1/feedback/remote", { ...report, message: `Again: ${said.public}` }, key);
  for (const direction of ["note", "outbound"])
    await send(`${api}/feedback/${feedback}/messages`, { direction, body: said.team });

  const first = await propose(`1. ${said.agents}`);
  await decide(first, "request_changes");
  const finished = await propose(`2. ${said.agents}`);
  await decide(finished, "approve");
  const run = `/api/v1/agent/runs/${finished}`;
  const claim = await send(`${run}/claim`, { worker: short(said.public, 100) }, agent);
  const claimId = claim.field("claimId");
  await send(`${run}/progress`, { claimId, text: short(said.agents, 1_000) }, agent);
  const outcome = { status: "failed", summary: short(said.agents, 2_000), links: [] };
  await send(`${run}/outcome`, { claimId, ...outcome }, agent);
  const approved = await propose(`3. ${said.agents}`);
  await decide(approved, "approve");
  return {
    ...{ feedback, first, finished, approved },
    token: agentToken.field("token"),
    connection: await connectionOf(service, person, short(said.public, 100)),
  };

  async function propose(plan: string): Promise<string> {
    const path = `/api/v1/agent/feedback/${feedback}/proposal`;
    return (await send(path, { summary: short(said.agents, 2_000), plan }, agent)).field("runId");
  }

  async function decide(runId: string, decision: string): Promise<void> {
    await send(`${api}/runs/${runId}/decision`, { decision, note: said.decision });
  }
}

/** The report of a user, with hostile words in each field. */
const reportOf = (said: Said) => ({
  ...{ type: "bug", message: said.public, name: short(said.public, 200), subject: short(said.public, 200) },
  ...{ source: short(said.public, 100), dedupeKey: "one", images: [png] },
  metadata: { [short(said.public, 200)]: said.public, nested: [{ [short(said.public, 200)]: said.public }] },
  attachments: [
    { name: `${short(said.public, 190)}.pdf`, data: pdf },
    { name: `${short(said.public, 190)}.svg`, data: pdf },
  ],
});

/** A program with a hostile name that a person has connected. */
async function connectionOf(service: Service, person: Readonly<Record<string, string>>, name: string) {
  const program = await registerProgram(service, { name });
  return (await exchangeCode(service, program, await allow(service, person, program))).field("access_token");
}

/** Sends a request that must be accepted. */
const sender =
  (service: Service, person: Readonly<Record<string, string>>) =>
  async (path: string, body: object, headers: Readonly<Record<string, string>> = person): Promise<Answer> => {
    const answer = await service.request("POST", path, { headers, body });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer;
  };

/** The beginning of a text, cut to the length that a field accepts. */
const short = (text: string, most: number): string => [...text].slice(0, most).join("");
