// Owns messages and artifacts of tasks in the form that stands in envelopes, and back. SPEC.md section 22
// (#sealed-content).

import type { ArtifactContent, MessageContent, Part } from '../../../src/door/index.ts';
import { decodeBase64, encodeBase64 } from '../sealed/shapes/base64.ts';
import type { NeutralArtifact, NeutralMessage, NeutralPart } from '../sealed/shapes/neutral.ts';

export function neutralMessage(message: MessageContent): NeutralMessage {
  const { id, role, parts, metadata, extensions, references } = message;
  return {
    messageId: id,
    role,
    parts: parts.map(neutralPart),
    ...(references !== undefined && references.length > 0 && { referenceTaskIds: references }),
    ...(extensions !== undefined && extensions.length > 0 && { extensions }),
    ...(metadata !== undefined && { metadata }),
  };
}

export function neutralArtifact(artifact: ArtifactContent): NeutralArtifact {
  const { id, name, description, parts, metadata, extensions } = artifact;
  return {
    artifactId: id,
    parts: parts.map(neutralPart),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(extensions !== undefined && { extensions }),
    ...(metadata !== undefined && { metadata }),
  };
}

function neutralPart(part: Part): NeutralPart {
  const { mediaType, filename, metadata } = part;
  return {
    ...contentOf(part),
    ...(filename !== undefined && { filename }),
    ...(mediaType !== undefined && { mediaType }),
    ...(metadata !== undefined && { metadata }),
  };
}

function contentOf(part: Part): NeutralPart {
  if ('text' in part) return { text: part.text };
  if ('bytes' in part) return { raw: encodeBase64(part.bytes) };
  return 'url' in part ? { url: part.url } : { data: part.data };
}

/** @param id of the message here. */
export function messageOf(neutral: NeutralMessage, id: string): MessageContent {
  const { role, parts, referenceTaskIds, extensions, metadata } = neutral;
  return {
    id,
    role,
    parts: parts.map(partOf),
    ...(referenceTaskIds !== undefined && { references: referenceTaskIds }),
    ...(extensions !== undefined && { extensions }),
    ...(metadata !== undefined && { metadata }),
  };
}

export function partOf(part: NeutralPart): Part {
  const { text, raw, url, data, ...facts } = part;
  if (text !== undefined) return { text, ...facts };
  if (raw !== undefined) return { bytes: decodeBase64(raw) ?? new Uint8Array(0), ...facts };
  return url !== undefined ? { url, ...facts } : { data: data ?? null, ...facts };
}
