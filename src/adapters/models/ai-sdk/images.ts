/**
 * Writes images in the form of each version of the specification.
 *
 * Wing adapters (models/ai-sdk).
 */
import type { ImagePart } from "../../../contract/message.ts";
import { ModelError } from "../../../errors/index.ts";
import type { JsonRecord } from "../http/json.ts";
import type { SpecVersion } from "./language-model.ts";

type Image =
  | { readonly type: "data"; readonly mediaType: string; readonly data: string }
  | { readonly type: "url"; readonly url: string };

/** An image in a message of the user. */
export function imagePart(part: ImagePart, version: SpecVersion): JsonRecord {
  const image = readImage(part);
  const mediaType = image.type === "data" ? image.mediaType : "image/*";
  if (version === "v4") return { type: "file", mediaType, data: fileData(image) };
  return { type: "file", mediaType, data: image.type === "data" ? image.data : new URL(image.url) };
}

/** An image in the result of a tool. */
export function resultImage(part: ImagePart, version: SpecVersion): JsonRecord {
  const image = readImage(part);
  const mediaType = image.type === "data" ? image.mediaType : "image/*";
  if (version === "v4") return { type: "file", mediaType, data: fileData(image) };
  if (image.type === "data") {
    return { type: version === "v2" ? "media" : "image-data", mediaType, data: image.data };
  }
  // V2 takes bytes only; the address is at least something to read.
  return version === "v2" ? { type: "text", text: `[image: ${image.url}]` } : { type: "image-url", url: image.url };
}

function fileData(image: Image): JsonRecord {
  return image.type === "data" ? { type: "data", data: image.data } : { type: "url", url: new URL(image.url) };
}

function readImage({ url }: ImagePart): Image {
  if (/^https?:/i.test(url) && URL.canParse(url)) return { type: "url", url };
  const [, mediaType, data] = /^data:([^;,]+)(?:;[^;,]+)*;base64,([\s\S]*)$/i.exec(url) ?? [];
  if (mediaType !== undefined && data !== undefined) return { type: "data", mediaType, data };
  throw new ModelError("An image of the history is neither an https: address nor a data: URL in base64.", {
    code: "MODEL_INVALID_REQUEST",
  });
}
