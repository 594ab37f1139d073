import { describe, expect, it } from "vitest";
import { createKeptFiles } from "../../../server/files/kept-files.ts";
import { createLocalFiles } from "../../../server/files/local-files.ts";
import { receivedFile } from "../../../src/contract/files/received-file.ts";
import { filesIn, temporaryFolder } from "../../support/files/temporary-folder.ts";

async function folderWithFiles() {
  const folder = await temporaryFolder();
  const files = createLocalFiles(folder);
  const referenced = new Set<string>();
  const kept = createKeptFiles(files, (decide) =>
    decide({ lock: async () => {}, isReferenced: async (sha256) => referenced.has(sha256) }),
  );
  const receive = async (text: string) => {
    const temporary = files.createTemporary(100);
    temporary.write(Buffer.from(text));
    const written = await temporary.finish();
    return receivedFile({ ...written, declaredType: null, name: null, fault: null });
  };
  return { folder, kept, referenced, receive };
}

describe("files kept for a report", () => {
  it("stay if the report is saved", async () => {
    const { folder, kept, receive } = await folderWithFiles();
    expect(await kept.keepFor([await receive("a")], async () => "saved")).toBe("saved");
    expect(await filesIn(folder)).toHaveLength(1);
  });

  it("are removed if the report cannot be saved", async () => {
    const { folder, kept, receive } = await folderWithFiles();
    await expect(kept.keepFor([await receive("a")], () => Promise.reject(new Error("no")))).rejects.toThrow(
      "no",
    );
    expect(await filesIn(folder)).toEqual([]);
  });

  it("stay if another report needs the same content", async () => {
    const { folder, kept, referenced, receive } = await folderWithFiles();
    const file = await receive("same");
    await kept.keepFor([file], async () => referenced.add(file.sha256));
    await expect(
      kept.keepFor([await receive("same")], () => Promise.reject(new Error("no"))),
    ).rejects.toThrow();
    expect(await filesIn(folder)).toHaveLength(1);
  });

  it("are not removed while a report with them is being saved", async () => {
    const { folder, kept, receive } = await folderWithFiles();
    const file = await receive("busy");
    await kept.keepFor([file], () => kept.removeUnreferenced([file.sha256]));
    expect(await filesIn(folder)).toHaveLength(1);
  });

  it("are removed when nothing refers to them", async () => {
    const { folder, kept, receive } = await folderWithFiles();
    const file = await receive("old");
    await kept.keepFor([file], async () => {});
    await kept.removeUnreferenced([file.sha256]);
    expect(await filesIn(folder)).toEqual([]);
  });
});
