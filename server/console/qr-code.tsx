import encodeQR from "qr";

export interface QrCodeProps {
  readonly text: string;
  /** What the picture is, for people who do not see it. */
  readonly label: string;
}

/** A text as a QR code. It is black on white in every colour scheme, or cameras would not read it. */
export const QrCode = ({ text, label }: QrCodeProps) => {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: 4 });
  const size = rows.length;
  const squares = rows.flatMap((row, y) => row.flatMap((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : [])));
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} width="232" height="232" role="img" aria-label={label}>
      <rect width={size} height={size} fill="#fff" />
      <path d={squares.join("")} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
};
