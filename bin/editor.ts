import { spawn } from "node:child_process";

/**
 * Opens a file in an editor on this terminal, and gives its exit code. The command is one of the person's own: it may have
 * flags, as in `code --wait`, so a shell reads it.
 */
export function openEditor(command: string, file: string): Promise<number> {
  const quoted = process.platform === "win32" ? `"${file}"` : `'${file.replaceAll("'", "'\\''")}'`;
  const editor = spawn(`${command} ${quoted}`, { shell: true, stdio: "inherit" });
  return new Promise((resolve, reject) => {
    editor.once("error", reject);
    editor.once("exit", (code) => resolve(code ?? 1));
  });
}
