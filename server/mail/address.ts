const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const label = /^[\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u;

/** Whether a text is exactly one plain e-mail address: it has no name, comment, quotes or second address. (rule M2) */
export function isMailAddress(text: string): boolean {
  const at = text.lastIndexOf("@");
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || text.length > 254 || local.length > 64 || !localPart.test(local)) return false;
  const labels = domain.split(".");
  return labels.length > 1 && labels.every((each) => label.test(each));
}
