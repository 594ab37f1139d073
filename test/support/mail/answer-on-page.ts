/** Answers as the sender of a report, in a browser without scripts. `statusUrl` is the link to the sender's page. */
export async function answerOnPage(statusUrl: string, text: string): Promise<Response> {
  const accept = { accept: "text/html" };
  const page = await (await fetch(statusUrl, { headers: accept })).text();
  const once = /name="once" value="([^"]+)"/.exec(page)?.[1] ?? "";
  return fetch(statusUrl, {
    method: "POST",
    redirect: "manual",
    headers: {
      ...accept,
      origin: new URL(statusUrl).origin,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams({ answer: text, once }).toString(),
  });
}
