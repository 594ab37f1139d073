import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { decodedText } from "../../src/words/decoded-text.ts";
import { inputPath } from "../support/files/inputs.ts";

describe("the text that is decoded from bytes", () => {
  it.each([
    ["text-shift-jis.log", "テストに失敗しました: ボタンを押すとアプリが落ちます。\n保存できません。\n"],
    ["text-euc-jp.log", "写真が消えました。もう一度お願いします。\n"],
    ["text-gb18030.txt", "测试失败：点击按钮后应用崩溃。\n照片丢失了。\n"],
    ["text-big5.txt", "測試失敗：點擊按鈕後應用程式當機。\n"],
    ["text-euc-kr.csv", "테스트 실패: 버튼을 누르면 앱이 종료됩니다.\n"],
    ["text-koi8-r.log", "Тест не прошёл: приложение падает при нажатии кнопки.\n"],
    ["text-windows-1251.log", "Тест не прошёл: приложение падает при нажатии кнопки.\n"],
  ])("of %s is the original text", async (name, text) => {
    const decoded = decodedText(await readFile(inputPath(name)));
    expect(decoded).toBe(text);
  });

  it.each([
    ["a word", [0x47, 0x72, 0xfc, 0xdf, 0x65], "Grüße"],
    ["an accent at the end", [0x63, 0x61, 0x66, 0xe9], "café"],
    ["a sign of Windows", [0x35, 0x20, 0x80], "5 €"],
    ["one letter", [0x61, 0xff, 0x62], "aÿb"],
  ])("is read as Windows-1252 if the encoding is not clear: %s", (_, bytes, text) => {
    expect(decodedText(Uint8Array.from(bytes))).toBe(text);
  });

  it("is missing if the bytes are those of a program file", () => {
    expect(decodedText(Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0xff]))).toBeUndefined();
  });
});
