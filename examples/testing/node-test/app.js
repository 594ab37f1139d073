/** Sends a report. Tries again for a while if the server is busy. */
export async function reportBug(message, { tries = 3 } = {}) {
  const { INNKEEP_BASE_URL, INNKEEP_API_KEY } = process.env;
  const answer = await fetch(`${INNKEEP_BASE_URL}/api/v1/feedback/remote`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": INNKEEP_API_KEY },
    body: JSON.stringify({ type: "bug", message }),
  });
  if (answer.status === 503 && tries > 1) return reportBug(message, { tries: tries - 1 });
  if (!answer.ok) throw new Error(`The report was refused: ${answer.status}`);
  return (await answer.json()).id;
}

/** The titles of the published release notes, newest first. */
export async function whatIsNew() {
  const { INNKEEP_BASE_URL, INNKEEP_API_KEY } = process.env;
  const answer = await fetch(`${INNKEEP_BASE_URL}/api/v1/changelog/remote`, {
    headers: { "x-api-key": INNKEEP_API_KEY },
  });
  return (await answer.json()).entries.map(({ title }) => title);
}
