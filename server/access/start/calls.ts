/** A call that sends a report, as a text to copy. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

/** Returns the calls that send a report to a server. The calls that fit the kind of the key come first. */
export function callsFor({
  baseUrl,
  key = "sdk_…",
  kind = "intake",
}: {
  readonly baseUrl: string;
  readonly key?: string;
  readonly kind?: "full" | "intake";
}): readonly Call[] {
  const url = `${baseUrl}/api/v1/feedback/remote`;
  const curl = { id: "call-curl", name: "curl", text: curlCall(url, key) };
  const script = { id: "call-javascript", name: "JavaScript", text: scriptCall(url, key) };
  const kotlin = { id: "call-kotlin", name: "Kotlin", text: kotlinCall(url, key) };
  const action = { id: "call-action", name: "GitHub Action", text: actionCall(baseUrl) };
  return kind === "full" ? [curl, action, script, kotlin] : [curl, script, kotlin, action];
}

const report = '{"type": "bug", "message": "The list is empty after syncing."}';

const curlCall = (url: string, key: string): string => `curl ${url} \\
  --header 'x-api-key: ${key}' \\
  --header 'Content-Type: application/json' \\
  --data '${report}'`;

const scriptCall = (url: string, key: string): string => `await fetch("${url}", {
  method: "POST",
  headers: { "x-api-key": "${key}", "Content-Type": "application/json" },
  body: JSON.stringify({ type: "bug", message: "The list is empty after syncing." }),
});`;

const kotlinCall = (url: string, key: string): string => `${emulatorHint(url)}// Not on the main thread.
val call = URL("${url}").openConnection() as HttpURLConnection
call.doOutput = true
call.setRequestProperty("x-api-key", "${key}")
call.setRequestProperty("Content-Type", "application/json")
call.outputStream.use { it.write("""${report}""".toByteArray()) }
check(call.responseCode == 201)`;

/** The hint for the Android emulator, which reaches this machine at another address. */
const emulatorHint = (url: string): string =>
  /\/\/(localhost|127\.)/.test(url) ? "// The Android emulator reaches this machine at 10.0.2.2.\n" : "";

const actionCall = (baseUrl: string): string => `# First store the key: gh secret set INNKEEP_API_KEY
- name: Report failing tests
  if: failure()
  uses: innkeep/innkeep@v0
  env:
    INNKEEP_BASE_URL: ${baseUrl}
  with:
    command: feedback send
    api-key: \${{ secrets.INNKEEP_API_KEY }}
    junit: reports/*.xml
    best-effort: true`;
