/** The colours of the console, named by their purpose. Both schemes define all of them. */
export interface Colours {
  readonly ground: string;
  readonly surface: string;
  readonly sunken: string;
  readonly text: string;
  readonly muted: string;
  /** Lines that only separate parts. */
  readonly line: string;
  /** Borders of controls. */
  readonly border: string;
  readonly accent: string;
  readonly accentStrong: string;
  readonly onAccent: string;
  readonly accentSoft: string;
  readonly onAccentSoft: string;
  readonly attention: string;
  readonly attentionSoft: string;
  readonly attentionLine: string;
  readonly danger: string;
  readonly dangerStrong: string;
  readonly onDanger: string;
  readonly dangerSoft: string;
  readonly shadow: string;
}

export const light: Colours = {
  ground: "#faf8f5",
  surface: "#ffffff",
  sunken: "#f3f0ea",
  text: "#211e1a",
  muted: "#655f56",
  line: "#e6e1d8",
  border: "#8b8479",
  accent: "#1c5f4d",
  accentStrong: "#134839",
  onAccent: "#ffffff",
  accentSoft: "#e4f0eb",
  onAccentSoft: "#164e3f",
  attention: "#7c4a03",
  attentionSoft: "#fdf3dd",
  attentionLine: "#dfa93f",
  danger: "#a52a1f",
  dangerStrong: "#821d14",
  onDanger: "#ffffff",
  dangerSoft: "#fcebe8",
  shadow: "rgb(56 44 24 / 8%)",
};

export const dark: Colours = {
  ground: "#151412",
  surface: "#1d1c19",
  sunken: "#24221f",
  text: "#eeebe4",
  muted: "#aba498",
  line: "#35322d",
  border: "#857e73",
  accent: "#7fceb4",
  accentStrong: "#a3dfcb",
  onAccent: "#0b241c",
  accentSoft: "#1c3730",
  onAccentSoft: "#b3e6d5",
  attention: "#f2c266",
  attentionSoft: "#34280f",
  attentionLine: "#9a7222",
  danger: "#f29488",
  dangerStrong: "#f7b3aa",
  onDanger: "#3a0c07",
  dangerSoft: "#3b1b17",
  shadow: "rgb(0 0 0 / 40%)",
};

/** Every pair of text colour and background colour in the styles. */
export const textPairs: readonly (readonly [keyof Colours, keyof Colours])[] = [
  ["text", "ground"],
  ["text", "surface"],
  ["text", "sunken"],
  ["muted", "ground"],
  ["muted", "surface"],
  ["muted", "sunken"],
  ["accent", "ground"],
  ["accent", "surface"],
  ["accent", "sunken"],
  ["accentStrong", "surface"],
  ["onAccent", "accent"],
  ["onAccent", "accentStrong"],
  ["onAccentSoft", "accentSoft"],
  ["attention", "attentionSoft"],
  ["text", "attentionSoft"],
  ["muted", "attentionSoft"],
  ["accent", "attentionSoft"],
  ["attention", "surface"],
  ["attention", "sunken"],
  ["danger", "sunken"],
  ["danger", "ground"],
  ["danger", "surface"],
  ["danger", "dangerSoft"],
  ["text", "dangerSoft"],
  ["onDanger", "danger"],
  ["onDanger", "dangerStrong"],
];

/** Borders and focus rings of controls, with the background colours beside them. */
export const edgePairs: readonly (readonly [keyof Colours, keyof Colours])[] = [
  ["border", "ground"],
  ["border", "surface"],
  ["border", "sunken"],
  ["accent", "ground"],
  ["accent", "surface"],
  ["accent", "sunken"],
  ["danger", "surface"],
];

/** The custom properties of a scheme: `--on-accent: #ffffff; …`. */
export const propertiesOf = (colours: Colours): string =>
  Object.entries(colours)
    .map(([name, value]) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}: ${value};`)
    .join(" ");
