/** Signs in the demo's owner: the person who decides on proposals and on programs that connect. */
export async function signInPerson({ baseUrl, demo: { email, password } }) {
  const ask = (path, body, headers) =>
    fetch(baseUrl + path, {
      method: "POST",
      headers: { "content-type": "application/json", origin: baseUrl, ...headers },
      body: JSON.stringify(body),
    });
  const session = await ask("/api/v1/console/session", { email, password });
  if (session.status !== 201) throw new Error(`The person cannot sign in: ${session.status}`);
  const cookie = session.headers.get("set-cookie").split(";", 1)[0];
  return {
    async decide(runId, decision, note) {
      const answer = await ask(`/api/v1/console/runs/${runId}/decision`, { decision, note }, { cookie });
      if (!answer.ok) throw new Error(`The decision was refused: ${await answer.text()}`);
    },
    /** Creates a token for an agent that may claim approved proposals. */
    async workToken() {
      const answer = await ask(
        "/api/v1/console/tokens",
        { kind: "agent", label: "Worker", scopes: ["runs:work"] },
        { cookie },
      );
      const { token } = await answer.json();
      if (!token) throw new Error(`The token was refused: ${answer.status}`);
      return token;
    },
    /** Opens the address of a program that wants to connect and allows it. Returns the address that the browser opens next. */
    async allow(address) {
      const headers = { cookie, origin: baseUrl };
      const page = await (await fetch(address, { headers })).text();
      const form = /<form\b[^>]*action="\/oauth\/authorize"[\s\S]*?<\/form>/.exec(page)?.[0] ?? "";
      const hidden = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
      const fields = [...hidden].map(([, name, value]) => [name, value.replaceAll("&amp;", "&")]);
      const body = new URLSearchParams([...fields, ["decision", "allow"]]);
      const answer = await fetch(`${baseUrl}/oauth/authorize`, {
        method: "POST",
        headers,
        body,
        redirect: "manual",
      });
      const next = answer.headers.get("location");
      if (next === null) throw new Error(`The connection was not allowed: ${answer.status}`);
      return next;
    },
  };
}
