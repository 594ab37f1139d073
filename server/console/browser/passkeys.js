// Asks an authenticator to create or use a passkey. Then sends the form with the answer of the authenticator.
import { announce } from "./page.js";

const bytesIn = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
const textFor = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
const known = (list) => list.map((one) => ({ ...one, id: bytesIn(one.id) }));
const answerOfPasskey = async ({ ceremony, options }) => {
  const publicKey = { ...options, challenge: bytesIn(options.challenge) };
  if (!options.user) {
    publicKey.allowCredentials = known(options.allowCredentials);
    const { id, response } = /** @type {any} */ (await navigator.credentials.get({ publicKey }));
    const { clientDataJSON, authenticatorData, signature } = response;
    return {
      ceremony,
      id,
      clientDataJSON: textFor(clientDataJSON),
      authenticatorData: textFor(authenticatorData),
      signature: textFor(signature),
    };
  }
  publicKey.user = { ...options.user, id: bytesIn(options.user.id) };
  publicKey.excludeCredentials = known(options.excludeCredentials);
  const { id, response } = /** @type {any} */ (await navigator.credentials.create({ publicKey }));
  return {
    ceremony,
    id,
    clientDataJSON: textFor(response.clientDataJSON),
    attestationObject: textFor(response.attestationObject),
    transports: response.getTransports?.() ?? [],
  };
};
for (const form of document.querySelectorAll("form[data-passkey]")) {
  const button = form.querySelector("button[data-asks-passkey]");
  button.hidden = !window.PublicKeyCredential;
  button.addEventListener("click", async () => {
    const failed = form.querySelector("[data-passkey-failed]");
    failed.hidden = true;
    try {
      form.querySelector("[name=passkey]").value = JSON.stringify(
        await answerOfPasskey(JSON.parse(form.dataset.passkey)),
      );
      form.submit();
    } catch {
      failed.hidden = false;
      announce(failed.textContent);
    }
  });
}
