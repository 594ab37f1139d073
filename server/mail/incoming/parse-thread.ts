/** The code of the worker thread that parses a mail, as a text, because the server is one bundled file. */
export const mailThread = `
const { parentPort, workerData } = require("node:worker_threads");
const { libraries, source, bounds, most } = workerData;
const required = (name) => {
  const found = require(libraries[name]);
  return found.default ?? found;
};

function joinedLines() {
  let bytes = new Uint8Array(16_384);
  let used = 0;
  return {
    update(line) {
      if (used + line.length + 1 > bytes.length) {
        const grown = new Uint8Array(2 * (used + line.length + 1));
        grown.set(bytes.subarray(0, used));
        bytes = grown;
      }
      bytes.set(line, used);
      used += line.length + 1;
      bytes[used - 1] = 10;
    },
    finalize: async () => bytes.buffer.slice(0, used),
  };
}

const PostalMime = required("mail");
const parser = new PostalMime(bounds);
const node = Object.getPrototypeOf(parser.root);
const chooseDecoder = node.setupContentDecoder;
let parts = 0;
let pieces = 0;
let textLeft = most.text;
node.setupContentDecoder = function (encoding) {
  parts += 1;
  if (parts > most.parts) throw new Error("The mail has too many parts.");
  chooseDecoder.call(this, encoding);
  if (!/base64|quoted-printable/i.test(encoding)) this.contentDecoder = joinedLines();
  const decoder = this.contentDecoder;
  if (decoder.pushChunk) {
    const push = decoder.pushChunk;
    decoder.pushChunk = function (piece) {
      pieces += 1;
      if (pieces > most.pieces) throw new Error("The mail has too many pieces.");
      push.call(this, piece);
    };
  }
  const isShown =
    /^text\\/(plain|html)$/.test(this.contentType.parsed.value || "text/plain") &&
    this.contentDisposition.parsed.value !== "attachment";
  if (!isShown) return;
  const update = decoder.update;
  decoder.update = function (line) {
    if (textLeft > 0) update.call(this, line.subarray(0, textLeft));
    textLeft -= line.length + 1;
  };
};

const textOfHtml = (html) =>
  required("html").convert(html, {
    wordwrap: false,
    limits: { maxInputLength: most.text, maxDepth: 100, ellipsis: "" },
    selectors: [
      { selector: "img", format: "skip" },
      { selector: "a", options: { hideLinkHrefIfSameAsText: true } },
      { selector: "table", format: "block" },
      { selector: "tr", format: "block", options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      ...["td", "th"].map((selector) => ({ selector, format: "inlineSurround", options: { suffix: " " } })),
      ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
    ],
  });

// Returns possible addresses: each @ or %40, and the characters around it up to the next space.
function addressesIn(texts) {
  const found = new Set();
  let length = 0;
  for (const text of texts)
    for (const { index, 0: sign } of text.matchAll(/@|%40/gi)) {
      const before = /[^\\s<>]*$/.exec(text.slice(Math.max(0, index - most.side), index))[0];
      const after = /^[^\\s<>]*/.exec(text.slice(index + sign.length, index + sign.length + most.side))[0];
      const word = before + sign + after;
      if (before === "" || after === "" || found.has(word)) continue;
      length += word.length + 1;
      if (length > most.addresses) return null;
      found.add(word);
    }
  return [...found].join(" ");
}

// Loads this library now, before the server measures how long the search for quotations takes.
const Parser = required("replies");
parentPort.once("message", (text) => {
  parentPort.postMessage(new Parser().parseReply(text));
});

parser.parse(source).then((mail) => {
  const text = mail.text?.trim() ? mail.text : textOfHtml(mail.html ?? "");
  const attachments = mail.attachments.slice(0, most.attachments).map(({ filename, mimeType, content }) => ({
    name: filename ?? "",
    mimeType,
    bytes: typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content),
  }));
  const found = {
    headers: mail.headers.map(({ key, value }) => ({ key, value })),
    from: mail.from?.address ?? "",
    subject: mail.subject ?? "",
    messageId: mail.messageId ?? "",
    text: text.slice(0, most.text),
    addresses: addressesIn([
      ...mail.headers.map(({ value }) => value),
      mail.from?.address ?? "",
      mail.subject ?? "",
      text,
      mail.html ?? "",
    ]),
    attachments,
  };
  parentPort.postMessage(found, [...new Set(attachments.map(({ bytes }) => bytes.buffer))]);
});
`;
